/** One of those who may take from a queue at the same time. */
interface Claimer {
  /** Its place among them, from 0. */
  readonly rank: number;
  /** How many there are, at least 1. */
  readonly claimers: number;
}

/** The waiting items in the order in which a claimer looks at them, and how many it may take at once. */
interface FailoverShare {
  readonly inOrder: readonly number[];
  readonly most: number;
}

/**
 * Parts a queue among its claimers: who sees the same queue at the same moment starts with a part of its own, so that
 * all of it is taken in one round. What somebody leaves is parted again in the next one. Where there is less than one
 * item for each, several look at the same one, and one wins.
 * @param queue item numbers, ascending
 */
export function failoverShare(queue: readonly number[], { rank, claimers }: Claimer): FailoverShare {
  const startOf = (place: number) => Math.floor((place * queue.length) / claimers);
  const [start, end] = [startOf(rank), startOf(rank + 1)];
  return { inOrder: [...queue.slice(start), ...queue.slice(0, start)], most: Math.max(1, end - start) };
}

/** One waiting item only, from a given one on: for who has lost its part to somebody with another view of the queue. */
export function singleFrom(queue: readonly number[], first: number): FailoverShare {
  return { inOrder: [...queue.filter((item) => item >= first), ...queue.filter((item) => item < first)], most: 1 };
}
