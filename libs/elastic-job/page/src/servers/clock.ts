/** How far the clock of an instance is ahead of the registry's. */

/** From this difference on the library tells of a clock, unless `clockToleranceMs` says otherwise. */
const TOLERANCE_MS = 10_000;

export function isOff(offsetMs: number | null): boolean {
  return offsetMs !== null && Math.abs(offsetMs) >= TOLERANCE_MS;
}

/** The amount, with what it is to the registry's clock. */
export function offsetOf(offsetMs: number): { readonly amountMs: number; readonly is: 'ahead' | 'behind' | 'same' } {
  const amountMs = Math.abs(offsetMs);
  return { amountMs, is: amountMs === 0 ? 'same' : offsetMs > 0 ? 'ahead' : 'behind' };
}
