import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { GuaranteePhase, JobOptions } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { ExecutionLease } from '../execution/index.js';
import type { JobTree } from '../job-tree/index.js';
import { beforeNextTransaction, JOB, Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { GuaranteeTimeoutError } from './guaranteed-run.js';

let registry: Registry;
let operator: RegistryCenter;
let calls: string[];
beforeEach(() => {
  registry = new Registry();
  calls = [];
});

describe('a barrier', () => {
  it('calls back only on the last instance to arrive, and leaves nothing behind', async () => {
    const [first, second] = await beginTwo();

    const waiting = first.meet('started');
    await registry.clock.advance(1_000);
    expect(calls).toEqual([]);
    expect(await first.member.guarantee.arrived(JOB, 'started')).toEqual(first.lease.items);
    await settle([waiting, second.meet('started')]);

    expect(calls).toEqual([second.member.id]);
    expect(await names(`/${JOB}/guarantee/started`)).toBeUndefined();
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it('lets a rescuer pass at once if the round is over', async () => {
    const [first, second] = await beginTwo();
    await settle([first.meet('started'), second.meet('started')]);

    await settle([first.meet('started')]);

    expect(calls).toHaveLength(1);
    expect(await names(`/${JOB}/guarantee/started`)).toBeUndefined();
  });

  it('lets the instance before the last one call back if the last one dies in its call', async () => {
    const [first, second] = await beginTwo({ failover: false });
    const waiting = first.meet('started');
    await registry.clock.advance(0);
    void second.meet('started', () => new Promise(() => {})).catch(() => {});
    await registry.clock.advance(1_000);
    expect(calls).toEqual([]);

    second.member.die();
    await settle([waiting]);

    expect(calls).toEqual([first.member.id]);
  });

  it('makes its call once although the reply to an arrival is lost', async () => {
    const [first, second] = await beginTwo();
    beforeNextTransaction(first.member, async () => registry.memory.loseNextReply(first.member.sessionId));
    const waiting = first.meet('started');
    await registry.clock.advance(1_000);

    await settle([waiting, second.meet('started')]);

    expect(calls).toEqual([second.member.id]);
  });

  it('ends its wait at once and removes the arrival if the lease is aborted', async () => {
    const [first] = await beginTwo();
    const waiting = first.meet('started');
    await registry.clock.advance(0);

    first.lease.abort(new Error('draining'));

    await expect(waiting).rejects.toThrow('draining');
    expect(await names(`/${JOB}/guarantee/started`)).toBeUndefined();
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it('lets an instance that waits go on once an operator has cleared the phase', async () => {
    const [first, second] = await beginTwo();
    const waiting = first.meet('started');
    await registry.clock.advance(0);
    await second.member.tree.sync();

    await second.member.guarantee.clear(JOB, 'started');
    await settle([waiting]);

    expect(calls).toEqual([]);
  });
});

describe('a record that is written again whenever it is read', () => {
  it('lets the wait end at its timeout', async () => {
    const [first] = await beginTwo();
    vi.spyOn(first.member.tree, 'loadRecords').mockImplementation(async () => {
      await registry.clock.sleep(100);
      return undefined;
    });
    const begunAt = registry.clock.monotonicNow();

    await expect(settle([first.meet('started')])).rejects.toThrow(GuaranteeTimeoutError);

    expect(registry.clock.monotonicNow() - begunAt).toBeGreaterThanOrEqual(30_000);
  });

  it('delays the call only until a read is complete, without a further event', async () => {
    const [first, second] = await beginTwo();
    // Its items have ended without an arrival, so only their records show it.
    const { lease, member } = second;
    for (const item of lease.items) lease.settle(item, SUCCEEDED);
    await registry.clock.advanceUntil(lease.settled());
    await member.tree.sync();
    unreadOnceBeforeTheCall(first.member.tree);
    const waiting = first.meet('started');

    await registry.clock.advance(1_000);

    expect(calls).toEqual([first.member.id]);
    await waiting;
  });
});

describe('a barrier beside Java', () => {
  it('shows all items to a Java peer that arrives last and counts them', async () => {
    const [first, second] = await beginTwo();
    const waiting = [first.meet('started'), second.meet('started', () => javaCountsAll())];

    await settle(waiting);

    expect(javaCount).toEqual(['0', '1', '2', '3']);
  });

  it('calls back and removes the phase once a waiting Java peer has arrived as well', async () => {
    const { member, lease, meet } = await beginBesideJava();
    const waiting = meet('started');
    await registry.clock.advance(1_000);
    expect(calls).toEqual([]);

    await javaArrives(lease.items);
    await settle([waiting]);

    expect(calls).toEqual([member.id]);
    expect(await names(`/${JOB}/guarantee/started`)).toBeUndefined();
  });

  it('gives a Java peer that has just arrived time to read the phase', async () => {
    const { member, lease, meet } = await beginBesideJava();
    const waiting = meet('started');
    await registry.clock.advance(1_000);
    await javaArrives(lease.items);
    await registry.clock.advance(400);
    expect((await names(`/${JOB}/guarantee/started`))?.toSorted()).toEqual(['0', '1', '2', '3']);

    await settle([waiting]);

    expect(calls).toEqual([member.id]);
  });

  it('makes no call of ours if a Java peer is last and calls its listener', async () => {
    const { meet } = await beginBesideJava();
    const waiting = meet('started');
    await registry.clock.advance(1_000);

    for (const name of await operator.children(`/${JOB}/guarantee/started`)) {
      await operator.delete(`/${JOB}/guarantee/started/${name}`);
    }
    await operator.delete(`/${JOB}/guarantee/started`);
    await settle([waiting]);

    expect(calls).toEqual([]);
  });

  it('waits while a Java peer holds the latch', async () => {
    const { member, lease, meet } = await beginBesideJava();
    await operator.ensurePath(`/${JOB}/guarantee/started-latch`);
    const java = await operator.create(`/${JOB}/guarantee/started-latch/_c_1-latch-`, '', 'EPHEMERAL_SEQUENTIAL');
    const waiting = meet('started');
    await registry.clock.advance(0);
    await javaArrives(lease.items);
    await registry.clock.advance(1_000);
    expect(calls).toEqual([]);

    await operator.delete(java);
    await settle([waiting]);

    expect(calls).toEqual([member.id]);
  });
});

let javaCount: readonly string[] = [];
async function javaCountsAll(): Promise<void> {
  javaCount = (await operator.children(`/${JOB}/guarantee/started`)).toSorted();
}

interface Guest {
  readonly member: Member;
  readonly lease: ExecutionLease;
  readonly meet: (phase: GuaranteePhase, call?: () => unknown) => Promise<void>;
}

/** Two instances that have begun all their items for one fire time. */
async function beginTwo(options?: Partial<JobOptions>): Promise<[Guest, Guest]> {
  operator = await registry.operator();
  const [first, second] = await registry.sharded(2, options);
  return [await guestOf(first), await guestOf(second!)];
}

async function guestOf(member: Member): Promise<Guest> {
  const { lease } = await member.begin(member.sharding.ownItems(member.tree));
  const barrier = member.guarantee.enter(member.tree, lease!);
  const called = () => void calls.push(member.id);
  return { member, lease: lease!, meet: (phase, call = called) => barrier.meet(phase, 30_000, call) };
}

/** An instance of ours with half of the items; a Java peer has the others. */
async function beginBesideJava(): Promise<Guest> {
  operator = await registry.operator();
  const [member] = await registry.sharded(1);
  const java = '10.0.0.99@-@1';
  const { paths } = member.tree;
  await operator.create(paths.server('10.0.0.99'), 'ENABLED', 'PERSISTENT');
  await operator.create(paths.instance(java), `jobInstanceId: ${java}\nserverIp: 10.0.0.99\n`, 'EPHEMERAL');
  for (const item of [0, 1]) await operator.set(paths.mark(item, 'instance'), java);
  return guestOf(member);
}

async function javaArrives(others: readonly number[]): Promise<void> {
  for (const item of [0, 1, 2, 3].filter((each) => !others.includes(each))) {
    await operator.create(`/${JOB}/guarantee/started/${item}`, '', 'PERSISTENT');
  }
}

/** When records are loaded for the second time, one of them has just been written again. */
function unreadOnceBeforeTheCall(tree: JobTree): void {
  const load = tree.loadRecords.bind(tree);
  vi.spyOn(tree, 'loadRecords')
    .mockImplementationOnce(load)
    .mockImplementationOnce(async () => {
      vi.spyOn(tree, 'record').mockReturnValueOnce(undefined);
      return undefined;
    });
}

async function settle(waits: readonly Promise<void>[]): Promise<void> {
  await registry.clock.advanceUntil(Promise.all(waits));
}

/** Names of a node's children; undefined if there is no such node. */
async function names(path: string): Promise<readonly string[] | undefined> {
  return (await operator.exists(path)) === undefined ? undefined : operator.children(path);
}
