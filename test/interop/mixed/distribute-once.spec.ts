import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, NEVER, ONCE_LISTENER, ORDERS, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 4;
const SPEC = jobSpec({ cron: NEVER, shardingTotalCount: TOTAL });

describe.skipIf(whyNot()).each(RELEASES)('distribute-once listeners beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)('call one of both kinds, $first first, once before all items and once after them', async (order) => {
    const { journal } = stage();
    const witness = await stage().witness();
    const console = await stage().java();
    const peers = await stage().pair(order);
    await peers[0].start({ ...SPEC, jobListenerTypes: [ONCE_LISTENER] });
    // Java reads its listeners from the configuration when it starts. Ours are given with the job.
    await console.edit(JOB, { jobListenerTypes: [ONCE_LISTENER] });
    await peers[1].start({ ...SPEC, jobListenerTypes: [ONCE_LISTENER] });
    await journal.until('the next trigger shares the job', () => witness.awaitsPlanFor(peers));

    for (const round of [1, 2]) {
      const since = journal.mark;
      await stage().fireOnce(console);
      const isTold = () => named('all-completed', since).length > 0 && named('ended', since).length >= TOTAL;
      await journal.until(`round ${round} is complete`, isTold);
      await witness.sync();
      await journal.until(
        'no round is left',
        () => !witness.has('guarantee/started') && !witness.has('guarantee/completed'),
      );

      const [started, completed] = [named('all-started', since), named('all-completed', since)];
      const [begun, ended] = [named('begun', since), named('ended', since)];
      expect([started.length, begun.length, ended.length, completed.length]).toEqual([1, TOTAL, TOTAL, 1]);
      expect(new Set(begun.map(({ peer }) => peer))).toEqual(new Set(peers.map(({ name }) => name)));
      expect(Math.min(...begun.map(({ at }) => at))).toBeGreaterThanOrEqual(started[0]!.at);
      expect(Math.max(...ended.map(({ at }) => at))).toBeLessThanOrEqual(completed[0]!.at);
    }

    function named(name: string, since: number) {
      return journal.events.slice(since).filter(({ event }) => event === name);
    }
  });
});
