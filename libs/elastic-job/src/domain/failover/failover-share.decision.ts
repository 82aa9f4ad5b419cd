/** One of the instances that may claim from a queue at the same time. */
interface Claimer {
  /** Its place among the claimers, from 0. */
  readonly rank: number;
  /** Number of claimers, at least 1. */
  readonly claimers: number;
}

/** Waiting items in the order in which a claimer tries them, and how many it may take at once. */
interface FailoverShare {
  readonly inOrder: readonly number[];
  readonly most: number;
}

/**
 * Divides a queue among its claimers. Instances that see the same queue at the same moment start with different parts,
 * so one round takes all of it; the rest is divided again in the next round. With fewer items than claimers, several
 * try the same item, and one wins.
 * @param queue item numbers, ascending
 */
export function failoverShare(queue: readonly number[], { rank, claimers }: Claimer): FailoverShare {
  const startOf = (place: number) => Math.floor((place * queue.length) / claimers);
  const [start, end] = [startOf(rank), startOf(rank + 1)];
  return { inOrder: [...queue.slice(start), ...queue.slice(0, start)], most: Math.max(1, end - start) };
}

/**
 * Picks a single waiting item, starting at a given one: for a claimer that has lost its part to an instance with
 * another view of the queue.
 */
export function singleFrom(queue: readonly number[], first: number): FailoverShare {
  return { inOrder: [...queue.filter((item) => item >= first), ...queue.filter((item) => item < first)], most: 1 };
}
