/** Replaces every value beyond the limit. */
export const OTHER_VALUES = 'other';
/** Longest name that gets a series of its own. */
const LONGEST_VALUE = 200;

/**
 * Values of one label, up to the limit, in the order of first use. Unlimited names would make unlimited series, each of
 * which permanently costs memory here and in the store of the metrics.
 */
export class LabelValues {
  private readonly known = new Set<string>();

  constructor(private readonly limit: number) {}

  of(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.limit || value.length > LONGEST_VALUE) return OTHER_VALUES;
    this.known.add(value);
    return value;
  }

  has(value: string): boolean {
    return this.known.has(value);
  }

  /** Makes room for another value. */
  release(value: string): void {
    this.known.delete(value);
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.known.values();
  }
}
