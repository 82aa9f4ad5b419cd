import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, ORDERS, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 4;
const { cron: _, ...SPEC } = jobSpec({ shardingTotalCount: TOTAL });
const A_WHILE_MS = 2_500;

describe.skipIf(whyNot()).each(RELEASES)('a one-off job beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)(
    'runs all items once on both kinds, $first first, when either asks, and never by itself',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const peers = await stage().pair(order);
      for (const peer of peers) await peer.start(SPEC);
      await journal.until('both are in the job', () => witness.members().length === 2);
      await journal.stays('nothing runs by itself', ({ event }) => event === 'begun', A_WHILE_MS);

      for (const [index, peer] of peers.entries()) {
        await peer.execute(JOB);
        await journal.until(`run ${index + 1}`, () => journal.begun().length === TOTAL * (index + 1));
        await witness.sync();
        await journal.until('rest', () => witness.isAtRest() && witness.children('trigger').length === 0);
      }

      await journal.stays('nothing runs again', ({ event }) => event === 'begun', A_WHILE_MS);
      expect(new Set(journal.begun().map(({ peer, item }) => `${peer} ${item}`)).size).toBe(TOTAL);
      expect(witness.isSharedBy(peers, TOTAL)).toBe(true);
    },
  );
});
