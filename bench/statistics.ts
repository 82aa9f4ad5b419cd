/** The median of the values, and an interval that probably contains the median of many more. */
export function describeMedian(values: readonly number[], show: (value: number) => string): string {
  const sorted = values.toSorted((a, b) => a - b);
  // The median of 10 lies between the second and the ninth of them with a probability of 1 - 22 / 1024.
  const interval = `${show(sorted[1]!)} to ${show(sorted.at(-2)!)}`;
  return `${show(medianOf(values))}, 97.9 % interval ${interval}`;
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
