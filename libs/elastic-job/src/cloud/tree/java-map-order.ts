import { javaHashCode } from '../../domain/index.js';

const LEAST_BINS = 16;

/** Keys of one bin, in the order of iteration. */
type Bin = readonly string[];

/**
 * Sorts keys as Java's `Properties` do since Java 9: as a hash table that grows while they are added one by one. Java
 * before 9 has another order.
 * @param keys without repeats, in the order of their insertion
 * @see java.util.concurrent.ConcurrentHashMap
 */
export function inHashTableOrder(keys: readonly string[]): readonly string[] {
  let bins: Bin[] = Array.from({ length: LEAST_BINS }, () => []);
  for (const [count, key] of keys.entries()) {
    const index = spread(key) & (bins.length - 1);
    bins[index] = [...bins[index]!, key];
    if (count + 1 >= bins.length * 0.75) bins = doubled(bins);
  }
  return bins.flat();
}

/** The next bit of the hashes divides each bin. */
function doubled(bins: readonly Bin[]): Bin[] {
  const parted = bins.map((bin) => part(bin, bins.length));
  return [...parted.map(({ low }) => low), ...parted.map(({ high }) => high)];
}

/** The last keys of a bin that go the same way keep their order; those before them are prepended one by one. */
function part(bin: Bin, bit: number): { readonly low: Bin; readonly high: Bin } {
  const isHigh = (key: string) => (spread(key) & bit) !== 0;
  const last = bin.at(-1);
  if (last === undefined) return { low: bin, high: bin };
  const kept = bin.findLastIndex((key) => isHigh(key) !== isHigh(last)) + 1;
  const moved = bin.slice(0, kept).toReversed();
  const half = (wanted: boolean) => [
    ...moved.filter((key) => isHigh(key) === wanted),
    ...bin.slice(kept).filter((key) => isHigh(key) === wanted),
  ];
  return { low: half(false), high: half(true) };
}

function spread(key: string): number {
  const hash = javaHashCode(key);
  return (hash ^ (hash >>> 16)) & 0x7f_ff_ff_ff;
}
