import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, ORDERS, type Peer, type PeerEvent, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 2;
const SPEC = jobSpec({ shardingTotalCount: TOTAL });
/** Two fire times, whenever they begin. */
const OVERRUN_MS = 3_000;

describe.skipIf(whyNot()).each(RELEASES)('misfires beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)(
    'fault 15: given both kinds in a job, when an item of $first overruns, then it is made up for once, and it alone',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const [slow, quick] = await stage().pair(order);
      await stage().startInTurn(witness, SPEC, [slow, quick]);
      const item = witness.owners(TOTAL).indexOf(slow.ip);
      const other = witness.owners(TOTAL).indexOf(quick.ip);
      await slow.behave(JOB, { kind: 'sleep', ms: OVERRUN_MS });
      await journal.until('it overruns', () => journal.events.some(({ event }) => event === 'begun'));
      const blocked = journal.mark;
      await journal.until('one has begun that sleeps', () => journal.begun(slow.name, blocked).length > 0);
      await slow.behave(JOB, { kind: 'end' });

      await journal.until('it is made up for', () => madeUpFor(slow, journal.begun(slow.name, blocked)));
      await journal.until('no mark is left', () => !witness.has(`sharding/${item}/misfire`));
      // Of Java that cannot be said: it takes each delay of a millisecond for a misfire.
      expect(quick.kind === 'node' && madeUpFor(quick, journal.begun(quick.name))).toBe(false);
      expect(witness.has(`sharding/${other}/misfire`)).toBe(false);
    },
  );

  it.each(ORDERS)(
    'given a marked item of $first, when its instance is killed, then the other kind owns it, makes up for it and clears the mark',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const [slow, quick] = await stage().pair(order);
      await stage().startInTurn(witness, SPEC, [slow, quick]);
      const item = witness.owners(TOTAL).indexOf(slow.ip);
      await slow.behave(JOB, { kind: 'block' });
      await journal.until('it runs', () => witness.has(`sharding/${item}/running`));
      // Java marks what it has missed only when the run has ended.
      if (slow.kind === 'java') await witness.write(`sharding/${item}/misfire`, '');
      await journal.until('it is marked', () => witness.has(`sharding/${item}/misfire`));

      await slow.kill();

      await journal.until('the other owns it', () => witness.isSharedBy([quick], TOTAL));
      await journal.until('the mark is gone', () => !witness.has(`sharding/${item}/misfire`));
      await journal.untilAllRun([0, 1]);
      expect(journal.begun(quick.name).some((run) => run.item === item)).toBe(true);
    },
  );
});

/** Java does not say why an item runs: there, an item has begun twice in one second. */
function madeUpFor({ kind }: Peer, runs: readonly PeerEvent[]): boolean {
  if (kind === 'node') return runs.some(({ context }) => context?.source === 'MISFIRE');
  return new Set(runs.map(({ at, item }) => `${Math.floor(at / 1_000)} ${item}`)).size < runs.length;
}
