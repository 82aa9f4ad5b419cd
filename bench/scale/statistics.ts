/**
 * The value that this share of the values does not exceed. Infinity is the value of an event that never happened.
 * @throws {RangeError} if there are no values
 */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('There is no percentile of nothing.');
  const inOrder = values.toSorted((a, b) => a - b);
  return inOrder[Math.max(0, Math.ceil(share * inOrder.length) - 1)]!;
}

/**
 * The median; for an even number of values the mean of the two in the middle. @throws {RangeError} if there are no
 * values
 */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('There is no median of nothing.');
  const inOrder = values.toSorted((a, b) => a - b);
  const middle = Math.floor(inOrder.length / 2);
  return inOrder.length % 2 === 1 ? inOrder[middle]! : (inOrder[middle - 1]! + inOrder[middle]!) / 2;
}

/** Lateness of every due run: a run that was not done is infinitely late. */
export function withMissing(lateness: readonly number[], due: number): readonly number[] {
  return [...lateness, ...Array.from({ length: Math.max(0, due - lateness.length) }, () => Infinity)];
}
