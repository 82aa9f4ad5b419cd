import { beforeEach, describe, expect, it } from 'vitest';
import {
  CancelledError,
  DrainDeadlineError,
  ExecutorDeathError,
  HandedOverError,
  JobTimeoutError,
  type RunRecord,
  type ShardOutcome,
  type StopCause,
} from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import {
  afterNextLoad,
  beforeNextTransaction,
  JOB,
  type Member,
  Registry,
  SUCCEEDED,
} from '@test/support/unit/member.js';
import type { ExecutionLease } from './execution-lease.js';

const ABORTED: ShardOutcome = { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) };
const KILLED: ShardOutcome = { kind: 'failed', error: new ExecutorDeathError('KILLED', 'signal SIGKILL') };
const UNREACHABLE: ShardOutcome = { kind: 'failed', error: new ExecutorDeathError('UNREACHABLE', 'no answer') };

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
beforeEach(async () => {
  registry = new Registry();
  [member] = await registry.sharded(1, { failoverQueueLimit: 1 });
  operator = await registry.operator();
});

describe('the end of an item under its lease', () => {
  it('queues what was cut short while there is room, and records what finds none', async () => {
    const { lease } = await member.begin([0, 1]);

    await settle(lease!, 0, ABORTED);
    await member.tree.sync();
    await settle(lease!, 1, ABORTED);

    expect([lease!.requeueOf(0), lease!.requeueOf(1)]).toEqual(['queue', 'overflow']);
    expect(await operator.children(member.tree.paths.queue)).toEqual(['0']);
    expect(await settledOf(0)).toStrictEqual({ at: registry.clock.wallNow(), outcome: 'aborted' });
    expect(await recordOf(0)).not.toHaveProperty('executorDeaths');
    expect(await settledOf(1)).toStrictEqual({ at: registry.clock.wallNow(), outcome: 'aborted', cause: 'overflow' });
  });

  it('says of a run that was done how it has ended, and nothing else', async () => {
    const { lease } = await member.begin([0]);
    expect(lease!.requeueOf(0)).toBe('none');
    await settle(lease!, 0, SUCCEEDED);
    expect(lease!.requeueOf(0)).toBe('none');
    expect(await recordOf(0)).not.toHaveProperty('executorDeaths');
    expect(await settledOf(0)).toStrictEqual({ at: registry.clock.wallNow(), outcome: 'succeeded' });
  });

  it('owes the target of a run whose executor has died, and counts the deaths', async () => {
    const { lease } = await member.begin([0]);
    await settle(lease!, 0, KILLED);

    const { executorDeaths } = await recordOf(0);
    expect(executorDeaths).toBe(1);
    expect(await settledOf(0)).toMatchObject({ outcome: 'failed', cause: 'KILLED', isOwed: true });
  });

  it('owes no target whose executors die again and again', async () => {
    const { lease } = await member.begin([0]);
    const record = await recordOf(0);
    expect(record).toBeDefined();
    await settle(lease!, 0, KILLED);
    let [last] = [lease!];
    while (last.requeueOf(0) === 'queue') {
      await member.tree.sync();
      const claim = await member.queue.claim(JOB);
      if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);
      last = claim.lease;
      await settle(last, 0, KILLED);
    }

    expect(last.requeueOf(0)).toBe('exhausted');
    expect(await settledOf(0)).not.toHaveProperty('isOwed');
  });

  it('keeps the mark while nobody knows whether the executor runs, until the session is over', async () => {
    const { lease } = await member.begin([0]);

    await settle(lease!, 0, UNREACHABLE);
    expect(lease!.requeueOf(0)).toBe('hold');
    expect(await member.holder(0)).toBe(member.id);
    expect(member.executions.isOwnRun(member.tree, 0)).toBe(true);
    member.tree.close(new Error('over'));

    expect(await lease!.settled()).toEqual(new Map([[0, { kind: 'fenced' }]]));
  });

  it('is told once if an operator confirms that the executor is gone, and the session is over then', async () => {
    const { lease } = await member.begin([0]);
    const told: unknown[] = [];
    lease!.onSettled((_, { kind }) => told.push(kind));
    await settle(lease!, 0, UNREACHABLE);
    lease!.confirmLost(0);
    await registry.clock.advance(0);
    member.tree.close(new Error('over'));
    lease!.confirmLost(0);

    expect(told).toEqual(['failed']);
    expect(await settledOf(0)).toMatchObject({ outcome: 'failed', cause: 'GONE_BY_OPERATOR' });
  });

  it('is told once if the session is over before an operator confirms that the executor is gone', async () => {
    const { lease } = await member.begin([0]);
    const told: unknown[] = [];
    lease!.onSettled((_, { kind }) => told.push(kind));
    await settle(lease!, 0, UNREACHABLE);
    member.tree.close(new Error('over'));
    lease!.confirmLost(0);

    expect(told).toEqual(['fenced']);
  });

  it('says how its handler had ended if the session is over before that is recorded', async () => {
    const { lease } = await member.begin([0, 1, 2]);
    registry.memory.cutOff(member.center.session.id!);
    lease!.settle(0, SUCCEEDED);
    lease!.settle(1, { kind: 'failed', error: new Error('no such order') });
    lease!.settle(2, ABORTED);
    await registry.clock.advance(0);
    member.tree.close(new Error('over'));
    await registry.clock.advance(60_000);

    expect(await lease!.settled()).toStrictEqual(
      new Map([
        [0, { kind: 'fenced', unrecorded: 'succeeded' }],
        [1, { kind: 'fenced', unrecorded: 'failed' }],
        [2, { kind: 'fenced' }],
      ]),
    );
  });

  it('is fenced at once when the session is over already', async () => {
    const { lease } = await member.begin([0]);
    member.tree.close(new Error('over'));
    lease!.settle(0, SUCCEEDED);
    expect(await lease!.settled()).toEqual(new Map([[0, { kind: 'fenced' }]]));
  });
});

describe('a run that is told to stop for good', () => {
  const CANCEL = new CancelledError(JOB, 0);
  const CANCELLED: ShardOutcome = { kind: 'aborted', reason: CANCEL };

  it.each([
    ['a cancel', CANCEL, 'cancelled'],
    ['its time limit', new JobTimeoutError(JOB, 0, 1_000), 'timed-out'],
  ])('has %s in its record while its handler goes on', async (_, reason, cause) => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, reason);
    await registry.clock.advance(0);

    const { run } = await recordOf(0);
    expect(await recordOf(0)).toMatchObject({ stopped: { run, cause } });
    expect(await settledOf(0)).toBeUndefined();
    expect(await member.holder(0)).toBe(member.id);
  });

  it('has nothing in its record if others may repeat it', async () => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, new DrainDeadlineError(JOB, 1_000));
    lease!.abortItem(0, CANCEL);
    await registry.clock.advance(0);

    expect(await recordOf(0)).not.toHaveProperty('stopped');
  });

  it.each([false, true])('has the first stop in its record if another one follows (later: %s)', async (isLater) => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, new JobTimeoutError(JOB, 0, 1_000));
    if (isLater) await registry.clock.advance(0);
    lease!.abortItem(0, CANCEL);
    await registry.clock.advance(0);
    expect(await recordOf(0)).toMatchObject({ stopped: { cause: 'timed-out' } });

    await settle(lease!, 0, SUCCEEDED);
    expect(await lease!.settled()).toEqual(new Map([[0, SUCCEEDED]]));
  });

  it('has failed, and no other cause, if its handler fails once an operator has cancelled it', async () => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, CANCEL);
    await settle(lease!, 0, { kind: 'failed', error: new Error('no such order') });

    expect(await settledOf(0)).toStrictEqual({ at: registry.clock.wallNow(), outcome: 'failed' });
  });

  it('is settled once its handler returns, without a trace of the stop', async () => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, CANCEL);
    await registry.clock.advance(0);
    await settle(lease!, 0, CANCELLED);

    expect(await lease!.settled()).toEqual(new Map([[0, CANCELLED]]));
    expect(await recordOf(0)).not.toHaveProperty('stopped');
    expect(await settledOf(0)).toMatchObject({ outcome: 'aborted', cause: 'cancelled' });
    expect(await member.holder(0)).toBeUndefined();
  });

  it('is settled, and saves its checkpoint, after the registry has taken the stop', async () => {
    const { lease } = await member.begin([0]);
    let saved: Promise<void> | undefined;
    beforeNextTransaction(member, async () => {
      saved = lease!.checkpoint(0).save('meanwhile');
      await operator.exists('/');
    });
    lease!.abortItem(0, CANCEL);
    await registry.clock.advance(0);
    await saved;
    await settle(lease!, 0, CANCELLED);

    expect(await lease!.settled()).toEqual(new Map([[0, CANCELLED]]));
  });

  it('is settled if its handler returns while the stop is on its way', async () => {
    const { lease } = await member.begin([0]);
    beforeNextTransaction(member, async () => lease!.settle(0, CANCELLED));
    lease!.abortItem(0, CANCEL);
    await registry.clock.advance(0);

    expect(await lease!.settled()).toEqual(new Map([[0, CANCELLED]]));
    expect(await member.holder(0)).toBeUndefined();
  });

  it('is told of once if the reply is lost', async () => {
    const { lease } = await member.begin([0]);
    registry.memory.loseNextReply(member.center.session.id!);
    lease!.abortItem(0, CANCEL);
    await registry.clock.advance(2_000);
    expect(await recordOf(0)).toHaveProperty('stopped');
    await settle(lease!, 0, CANCELLED);
    await registry.clock.advance(1_000);

    expect(await lease!.settled()).toEqual(new Map([[0, CANCELLED]]));
  });

  it('saves its checkpoint all the same', async () => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, CANCEL);
    const early = lease!.checkpoint(0).save('as it is told');
    await early;
    await registry.clock.advance(0);
    await lease!.checkpoint(0).save('afterwards');

    expect(await lease!.checkpoint(0).load()).toBe('afterwards');
  });

  it('is fenced if its session ends first', async () => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, CANCEL);
    member.tree.close(new Error('over'));
    await registry.clock.advance(0);
    lease!.settle(0, CANCELLED);

    expect(await lease!.settled()).toEqual(new Map([[0, { kind: 'fenced' }]]));
  });
});

describe('a run that adopts the task of one that was told to stop', () => {
  it.each([
    ['cancelled', CancelledError],
    ['timed-out', JobTimeoutError],
  ] as const)('is told the same once the task belongs to it: %s', async (cause, reason) => {
    const lease = await adopt(cause);
    expect(lease.signalOf(0).aborted).toBe(false);
    lease.begun(0)!.onAdopted();

    expect(lease.signalOf(0).reason).toBeInstanceOf(reason);
  });

  it('is settled although an operator cancels it once more and the registry does not answer', async () => {
    const lease = await adopt('cancelled');
    const end = registry.memory.fail(() => -7);
    lease.abortItem(0, new CancelledError(JOB, 0));
    await registry.clock.advance(1_000);
    end();
    await settle(lease, 0, { kind: 'aborted', reason: new CancelledError(JOB, 0) });
    await registry.clock.advance(10_000);

    expect(await lease.settled()).toMatchObject(new Map([[0, { kind: 'aborted' }]]));
    expect(await member.holder(0)).toBeUndefined();
  });

  it('leaves the stop to the next one if it hands the task over first', async () => {
    const lease = await adopt('cancelled');
    await settle(lease, 0, { kind: 'aborted', reason: new HandedOverError(JOB, 'leaving') });
    const handedOver = Object.assign(await recordOf(0), { isAdoptable: true });
    expect(handedOver.settled).toMatchObject({ cause: 'handed-over' });
    await operator.set(member.tree.paths.record(0), JSON.stringify(handedOver));

    const next = await claim();
    next.begun(0)!.onAdopted();

    expect(next.signalOf(0).reason).toBeInstanceOf(CancelledError);
  });

  it('is not failed over if its executor dies meanwhile', async () => {
    const lease = await adopt('cancelled');
    lease.begun(0)!.onAdopted();
    lease.settle(0, { kind: 'failed', error: new ExecutorDeathError('LOST', 'spec') });

    expect(lease.requeueOf(0)).toBe('none');
  });

  /** Begins an item whose record shows a task that outlives its holder, and that was told to stop. */
  async function adopt(cause: StopCause): Promise<ExecutionLease> {
    await member.begin([0]);
    const begun = await recordOf(0);
    const left = Object.assign(begun, { isAdoptable: true, stopped: { run: begun.run!, cause } });
    await operator.set(member.tree.paths.record(0), JSON.stringify(left));
    await operator.delete(member.tree.paths.mark(0, 'running'));
    await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');
    return claim();
  }

  async function claim(): Promise<ExecutionLease> {
    await member.tree.sync();
    const claimed = await member.queue.claim(JOB);
    if (claimed.kind !== 'claimed') throw new Error(`The claim was ${claimed.kind}.`);
    return claimed.lease;
  }
});

describe('what the work of an item is granted', () => {
  it('lasts until the run has ended, also after the run was told to end', async () => {
    const { lease } = await member.begin([0]);
    const begun = lease!.begun(0)!;
    lease!.abortItem(0, new Error('cancelled'));
    expect([begun.heldForMs() > 0, begun.isLost()]).toEqual([true, false]);

    await settle(lease!, 0, ABORTED);
    expect([begun.heldForMs(), begun.isLost()]).toEqual([0, false]);
  });

  it('ends with the session, which others know of a tenth of its timeout later at the earliest', async () => {
    const { lease } = await member.begin([0]);
    const begun = lease!.begun(0)!;
    member.tree.close(new Error('over'));

    expect([begun.heldForMs(), begun.isLost()]).toEqual([0, true]);
    expect(begun.lossGraceMs).toBe(member.center.session.timeoutMs / 10);
  });
});

describe('a run', () => {
  it('is the latest one of its item until it has ended, or another record stands there', async () => {
    const { lease } = await member.begin([0, 1, 2]);
    const isLatest = (item: number) => lease!.begun(item)!.isLatest();
    expect(await isLatest(0)).toBe(true);

    await settle(lease!, 0, SUCCEEDED);
    expect(await isLatest(0)).toBe(false);
    await operator.set(member.tree.paths.record(1), 'junk');
    expect(await isLatest(1)).toBe(false);
    await operator.set(member.tree.paths.record(2), JSON.stringify({ ...(await recordOf(2)), run: 'another' }));
    expect(await isLatest(2)).toBe(false);
  });

  it('is looked up again if its record changes as it is read', async () => {
    const { lease } = await member.begin([0]);
    const record = member.tree.paths.record(0);
    await operator.set(record, (await operator.read(record))!.data);
    afterNextLoad(member, async () => operator.set(record, (await operator.read(record))!.data));

    expect(await lease!.begun(0)!.isLatest()).toBe(true);
  });

  it('has a last signal that ends with the session, whoever asks for it when', async () => {
    const { lease } = await member.begin([0, 1]);
    const early = lease!.begun(0)!.lastSignal();
    const reason = new Error('over');
    member.tree.close(reason);

    expect(early.reason).toBe(reason);
    expect(lease!.begun(1)!.lastSignal().reason).toBe(reason);
    expect(lease!.begun(0)!.lastSignal()).toBe(early);
  });
});

describe('a lease', () => {
  it('has tokens of its own items alone', async () => {
    const { lease } = await member.begin([0]);
    expect(lease!.token(0)).toBeTypeOf('bigint');
    expect(lease!.token(1)).toBeUndefined();
  });

  it('has one checkpoint for each item, whoever asks for it', async () => {
    const { lease } = await member.begin([0, 1]);
    expect(lease!.checkpoint(0)).toBe(lease!.checkpoint(0));
    expect(lease!.checkpoint(0)).not.toBe(lease!.checkpoint(1));
  });
});

async function settle(lease: ExecutionLease, item: number, outcome: ShardOutcome): Promise<void> {
  lease.settle(item, outcome);
  await registry.clock.advance(0);
}

async function recordOf(item: number): Promise<Partial<RunRecord>> {
  return JSON.parse((await operator.read(member.tree.paths.record(item)))!.data);
}

async function settledOf(item: number): Promise<unknown> {
  return (await recordOf(item)).settled;
}
