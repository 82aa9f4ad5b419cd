/** @param ms milliseconds since the epoch */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : isoOf(ms);
}
