import { beforeEach, describe, expect, it } from 'vitest';
import { CancelledError, DrainDeadlineError, InstanceRemovedError, type ShardOutcome } from '../../domain/index.js';
import { clockTimesOf, SessionLease } from '../../registry/session-lease.js';
import { JOB, type Member, Registry, SESSION_TIMEOUT_MS, SUCCEEDED } from '@test/support/unit/member.js';

let registry: Registry;
let member: Member;
let other: Member;
beforeEach(async () => {
  registry = new Registry();
  const members = await registry.sharded(2);
  [member, other] = [members[0], members[1]!];
});

describe('a settle', () => {
  it('removes the mark of a run, and records its outcome', async () => {
    const { lease } = await member.begin([0]);

    expect(await member.end(lease!, 0)).toEqual(new Map([[0, SUCCEEDED]]));

    await other.tree.sync();
    expect(other.tree.isRunning(0)).toBe(false);
    await other.tree.loadRecords([0]);
    expect(other.tree.record(0)!.stored).toMatchObject({ record: { settled: { outcome: 'succeeded' } } });
  });

  it.each<[string, ShardOutcome, number[]]>([
    ['been aborted by a drain', { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) }, [0]],
    ['been aborted by a shutdown', { kind: 'aborted', reason: new InstanceRemovedError(JOB, 'a', 5_000) }, [0]],
    ['been cancelled', { kind: 'aborted', reason: new CancelledError(JOB, 0) }, []],
    ['failed', { kind: 'failed', error: new Error('no') }, []],
  ])('queues an item for failover only if a drain or a shutdown aborted it: it has %s', async (_, outcome, queue) => {
    const { lease } = await member.begin([0]);

    lease!.settle(0, outcome);
    await turn(lease!.settled());

    await other.tree.sync();
    expect(other.tree.queue()).toEqual(queue);
  });

  it('is fenced after the session has ended, and the signal of the lease aborts', async () => {
    const { lease } = await member.begin([0]);
    lease!.assertHeld(0);
    const reason = new Error('lost');

    member.tree.close(reason);

    expect(lease!.signal.reason).toBe(reason);
    expect(() => lease!.assertHeld(0)).toThrow('Item 0');
    lease!.settle(0, SUCCEEDED);
    expect(await lease!.settled()).toEqual(new Map([[0, { kind: 'fenced' }]]));
  });

  it('ends the hold of the lease on that item', async () => {
    const { lease } = await member.begin([0, 1]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);

    expect(() => lease!.assertHeld(0)).toThrow('Item 0');
    expect(() => lease!.assertHeld(1)).not.toThrow();
    expect(() => lease!.assertHeld(2)).toThrow('Item 2');
  });

  it('a lease holds all items but an aborted one, which keeps its first reason', async () => {
    const { lease } = await member.begin([0, 1]);
    const [first, second] = [new Error('first'), new Error('second')];

    lease!.abortItem(0, first);
    expect(catchError(() => lease!.assertHeld(0))).toMatchObject({ code: 'LEASE_LOST', cause: first });
    lease!.assertHeld(1);
    lease!.abort(second);

    expect([0, 1].map((item) => lease!.signalOf(item).reason)).toEqual([first, second]);
    expect(lease!.signal.reason).toBe(second);
  });

  it('keeps the signal of its item from an abort of the lease', async () => {
    const { lease } = await member.begin([0, 1]);

    lease!.settle(0, SUCCEEDED);
    lease!.abort(new Error('drain'));

    expect([0, 1].map((item) => lease!.signalOf(item).aborted)).toEqual([false, true]);
  });

  it.each(['monotonic', 'wall'] as const)(
    'an item is not held after a pause that only the %s clock shows',
    async (which) => {
      const { lease } = await member.begin([0]);
      // Clients of the embedded registry are never paused; this is how those of an ensemble count.
      const belief = new SessionLease(registry.clock);
      belief.grant(SESSION_TIMEOUT_MS, clockTimesOf(registry.clock));
      Object.assign(member.center, { leaseRemainingMs: () => belief.remainingMs() });
      lease!.assertHeld(0);

      const now = which === 'wall' ? registry.clock.wallNow() : registry.clock.monotonicNow();
      Object.assign(registry.clock, { [`${which}Now`]: () => now + SESSION_TIMEOUT_MS });

      expect(lease!.signal.aborted).toBe(false);
      expect(() => lease!.assertHeld(0)).toThrow('Item 0');
    },
  );
});

describe('misfire flags', () => {
  it('exist once per item, even if set twice, until they are cleared or the item is begun', async () => {
    await member.executions.markMisfired(JOB, [0, 1, 99]);
    await other.tree.sync();
    await Promise.all([member.executions.markMisfired(JOB, [0, 1]), other.executions.markMisfired(JOB, [0, 1])]);
    expect(await flags()).toEqual([0, 1]);

    await member.executions.clearMisfires(JOB, [1, 2]);
    await member.executions.clearMisfires(JOB, [1, 2]);
    expect(await flags()).toEqual([0]);

    await member.begin([0]);
    expect(await flags()).toEqual([]);
  });
});

/** Items with a misfire flag. */
async function flags(): Promise<number[]> {
  await other.tree.sync();
  return other.tree.items().filter((item) => other.tree.has(other.tree.paths.mark(item, 'misfire')));
}

function catchError(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

async function turn<T>(outcome: Promise<T>): Promise<T> {
  await registry.clock.advance(0);
  return outcome;
}
