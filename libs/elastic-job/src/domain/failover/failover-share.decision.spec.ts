import { describe, expect, it } from 'vitest';
import { failoverShare, singleFrom } from './failover-share.decision.js';

const QUEUE = [2, 3, 5, 7, 11, 13, 17];
const partOf = (queue: readonly number[], rank: number, claimers: number) => {
  const { inOrder, most } = failoverShare(queue, { rank, claimers });
  return inOrder.slice(0, most);
};
const ranks = (claimers: number) => Array.from({ length: claimers }, (_, rank) => rank);

describe('the parts of a queue', () => {
  it.each([1, 2, 3, 5, 7])(
    'divides the queue among %i claimers completely, with no part above a fair one',
    (claimers) => {
      const parts = ranks(claimers).map((rank) => partOf(QUEUE, rank, claimers));

      expect(parts.flat()).toEqual(QUEUE);
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(Math.ceil(QUEUE.length / claimers));
    },
  );

  it('gives each claimer one item and leaves none out, with more claimers than items', () => {
    const parts = ranks(20).map((rank) => partOf(QUEUE, rank, 20));

    for (const part of parts) expect(part).toHaveLength(1);
    expect(new Set(parts.flat())).toEqual(new Set(QUEUE));
  });

  it('lets a claimer go on to all other items, in a circle, once its own part is taken', () => {
    expect(failoverShare(QUEUE, { rank: 1, claimers: 3 }).inOrder).toEqual([5, 7, 11, 13, 17, 2, 3]);
    expect(singleFrom(QUEUE, 6)).toEqual({ inOrder: [7, 11, 13, 17, 2, 3, 5], most: 1 });
    expect(singleFrom(QUEUE, 7)).toEqual({ inOrder: [7, 11, 13, 17, 2, 3, 5], most: 1 });
  });
});
