import type { Percentiles } from './job-history.js';

/** Each bucket of a histogram ends a twentieth above the one before it. */
const GROWTH = 1.05;

/** Counts by bucket: bucket n has the values below 1.05 to the power of n that are in no bucket before. */
export type Histogram = ReadonlyMap<number, number>;

/** Percentiles of values, each of which is one of them. Undefined without values. */
export function percentilesOf(values: readonly number[]): Percentiles | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]!;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** Percentiles of what a histogram counts, in the middle of their buckets. @param max the greatest value */
export function percentilesOfHistogram(histogram: Histogram, max: number): Percentiles | undefined {
  const sorted = [...histogram].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return undefined;
  const at = (share: number) => {
    let left = Math.ceil(total * share);
    const [bucket] = sorted.find(([, count]) => (left -= count) <= 0)!;
    return Math.min(max, bucket <= 0 ? 0 : Math.round(GROWTH ** (bucket - 0.5)));
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max };
}

/** Adds the counts of a histogram as a row has it. What cannot be read counts nothing. */
export function addHistogram(sum: Map<number, number>, json: string): void {
  for (const [bucket, count] of entriesOf(json)) {
    const key = Number(bucket);
    if (Number.isInteger(key) && typeof count === 'number') sum.set(key, (sum.get(key) ?? 0) + count);
  }
}

function entriesOf(json: string): [string, unknown][] {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
  } catch {
    return [];
  }
}
