import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, type Journal, ORDERS, type Peer, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 2;
const SPEC = jobSpec({ shardingTotalCount: TOTAL });
/** An instance is no longer late after this many runs. */
const KEEPS_UP = 3;

describe.skipIf(whyNot()).each(RELEASES)('misfires beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)('fault 15: only an item of $first that overruns is caught up on, and once', async (order) => {
    const { journal } = stage();
    const witness = await stage().witness();
    const [slow, quick] = await stage().pair(order);
    await stage().startInTurn(witness, SPEC, [slow, quick]);
    const item = witness.owners(TOTAL).indexOf(slow.ip);
    const other = witness.owners(TOTAL).indexOf(quick.ip);
    const isMarked = (each: number) => witness.has(`sharding/${each}/misfire`);
    // Its first fire times may have waited for the plan, and then met each other.
    await journal.until('the other keeps up', () => journal.begun(quick.name, 0).length >= KEEPS_UP);
    // Java takes each delay of a millisecond for a misfire, and may have had both items.
    await journal.until('the other is not owed', () => !isMarked(other));
    const before = { mark: journal.mark, at: Date.now() };
    await slow.behave(JOB, { kind: 'block' });
    await journal.until('it overruns', () => overruns(journal, slow, quick));
    // Java marks missed fire times only when the run has ended.
    if (slow.kind === 'node') await journal.until('it is marked', () => isMarked(item));
    const released = { mark: journal.mark, at: Date.now() };
    await slow.behave(JOB, { kind: 'end' });
    await slow.release(JOB);

    await journal.until('it is caught up on', () => caughtUp(journal, slow, released));
    await journal.until('no mark is left', () => !isMarked(item));
    // Java gives no proof of it.
    if (quick.kind === 'java') return;
    const surplus = journal.begun(quick.name, before.mark).filter(({ context }) => context?.source === 'MISFIRE');
    expect({ surplus, isMarked: isMarked(other) }).toEqual({ surplus: [], isMarked: false });
  });

  it.each(ORDERS)(
    'moves a marked item of a killed $first instance, catches up on it and clears the mark',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const [slow, quick] = await stage().pair(order);
      await stage().startInTurn(witness, SPEC, [slow, quick]);
      const item = witness.owners(TOTAL).indexOf(slow.ip);
      await slow.behave(JOB, { kind: 'block' });
      await journal.until('it overruns', () => overruns(journal, slow, quick));
      // Java marks missed fire times only when the run has ended.
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

/** True if a run of the slow one goes on after two more fire times: the other has begun for the second of them. */
function overruns(journal: Journal, slow: Peer, quick: Peer): boolean {
  const last = journal.events.findLast(({ event, peer }) => peer === slow.name && event !== 'runtime');
  if (last?.event !== 'begun') return false;
  return journal.begun(quick.name).some(({ at }) => secondOf(at) >= secondOf(last.at) + 2);
}

/**
 * Java does not report why an item runs. There, its only item must have begun more often than there were fire times.
 */
function caughtUp(
  journal: Journal,
  { kind, name }: Peer,
  since: { readonly mark: number; readonly at: number },
): boolean {
  const runs = journal.begun(name, since.mark);
  if (kind === 'node') return runs.some(({ context }) => context?.source === 'MISFIRE');
  return runs.some(({ at }, index) => index + 1 > secondOf(at) - secondOf(since.at));
}

function secondOf(time: number): number {
  return Math.floor(time / 1_000);
}
