/** Stands for every value beyond the limit. */
export const OTHER_VALUES = 'other';
/** No name is longer that is worth a series of its own. */
const LONGEST_VALUE = 200;

/**
 * The values of one label: as many as the limit says, the first ones that something happened to. Names without end
 * would else make series without end, and each costs its memory here and in the store of the metrics for good.
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
}
