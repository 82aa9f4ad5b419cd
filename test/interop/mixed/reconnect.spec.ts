import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, NEVER, RELEASES, useInterop, whyNot } from '../support/index.js';

const SPEC = jobSpec({ cron: NEVER, failover: true, shardingTotalCount: 2 });

describe.skipIf(whyNot()).each(RELEASES)('a reconnect in the same session beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(['java', 'node'] as const)(
    'fault 5: runs nothing twice when the connection of %s breaks and comes back',
    async (kind) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const console = await stage().java();
      const peers = await stage().pair({ first: 'java', second: 'node' });
      for (const peer of peers) await peer.behave(JOB, { kind: 'block' });
      await stage().startAtRest(witness, SPEC, peers);
      await stage().fireOnce(console);
      await journal.until('both run', () => new Set(journal.begun().map(({ peer }) => peer)).size === 2);
      const cut = peers.find((peer) => peer.kind === kind)!;
      const { connections } = cut.network.counters;

      cut.network.cut();

      await journal.until('it is back', () => cut.network.counters.connections > connections);
      await journal.stays('nothing begins', ({ event }) => event === 'begun', 4_000);
      await journal.until('both are in the job', () => witness.members().length === peers.length);
      expect(witness.children('leader/failover/items')).toEqual([]);
      for (const peer of peers) await peer.release(JOB);
      await journal.until(
        'both have ended',
        () => journal.events.filter(({ event }) => event === 'ended').length === 2,
      );
    },
  );
});
