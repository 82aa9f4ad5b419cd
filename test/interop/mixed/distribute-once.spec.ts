import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, NEVER, ONCE_LISTENER, ORDERS, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 4;
const SPEC = jobSpec({ cron: NEVER, shardingTotalCount: TOTAL });
const WITH_LISTENER = { ...SPEC, jobListenerTypes: [ONCE_LISTENER] };

describe.skipIf(whyNot()).each(RELEASES)('distribute-once listeners beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)('call one of both kinds, $first first, once before all items and once after them', async (order) => {
    const { journal } = stage();
    const witness = await stage().witness();
    const console = await stage().java();
    const peers = await stage().pair(order);
    await stage().startAtRest(witness, WITH_LISTENER, peers);

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

  it('keep ours from starting while the job of a Java peer does not name them', async () => {
    const [java, node] = await Promise.all([stage().java(), stage().node()]);
    await java.start(SPEC);

    await expect(node.start(WITH_LISTENER)).rejects.toThrow(`jobListenerTypes lacks "${ONCE_LISTENER}"`);

    await java.edit(JOB, { jobListenerTypes: [ONCE_LISTENER] });
    await node.start(WITH_LISTENER);
  });

  it('keep a Java peer that lacks one of ours from starting, and ours run on', async () => {
    const { journal } = stage();
    const [java, node] = await Promise.all([stage().java(), stage().node()]);
    await node.start({ ...jobSpec(), jobListenerTypes: ['OURS_ALONE'] });

    await expect(java.start(jobSpec())).rejects.toThrow("Can not find job listener type 'OURS_ALONE'");

    const since = journal.mark;
    const isCalled = () => journal.events.slice(since).some(({ event }) => event === 'all-completed');
    await journal.until('the listener of ours is called', isCalled);
  });
});
