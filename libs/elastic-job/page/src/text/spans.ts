/** Spans of time up to the present, by which lists are filtered. */
const HOUR_MS = 3_600_000;
const LENGTHS_MS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS };

export type Span = keyof typeof LENGTHS_MS;
export const SPANS: readonly Span[] = ['1h', '24h', '7d', '30d'];

/** @param now milliseconds since the epoch @returns ISO 8601 */
export function startOfSpan(span: Span, now: number): string {
  return new Date(now - LENGTHS_MS[span]).toISOString();
}
