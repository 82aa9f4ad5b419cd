/** A set of items: bit i stands for item i. */
export type ItemSet = bigint;

export const NO_ITEMS: ItemSet = 0n;

export function itemSetOf(items: Iterable<number>): ItemSet {
  let set = NO_ITEMS;
  for (const item of items) set |= 1n << BigInt(item);
  return set;
}

/** True if every item of `part` is in `whole`. */
export function isWithin(part: ItemSet, whole: ItemSet): boolean {
  return (part & ~whole) === NO_ITEMS;
}

export function formatItemSet(set: ItemSet): string {
  return set.toString(16);
}

/** Reads a set. @returns undefined if the text stands for no set */
export function parseItemSet(text: unknown): ItemSet | undefined {
  return typeof text === 'string' && /^[0-9a-f]+$/.test(text) ? BigInt(`0x${text}`) : undefined;
}
