import { beforeEach, describe, expect, it } from 'vitest';
import { CancelledError, DrainDeadlineError, formatRerun, type JobOptions, type Rerun } from '../../domain/index.js';
import { creation, type RegistryCenter } from '../../registry/index.js';
import { purgeQueue, releaseStrayMarks } from '../failover/index.js';
import { afterNextLoad, beforeNextTransaction, JOB, type Member, Registry } from '@test/support/unit/member.js';
import type { ExecutionLease } from './execution-lease.js';
import { nextOfReruns, noteEndedTarget, removeEndedReruns } from './reruns.js';

const RERUN: Rerun = { at: 1, items: [0, 1], fireTimes: [100, 200, 300] };
const FIRST = { fireTime: 100, origin: 'rerun:r' } as const;
const SECOND = { fireTime: 200, origin: 'rerun:r' } as const;

let registry: Registry;
let member: Member;
let operator: RegistryCenter;

async function setUp(options: Partial<JobOptions> = {}): Promise<void> {
  registry = new Registry();
  [member] = await registry.sharded(1, options);
  operator = await registry.operator();
  await operator.create(member.tree.paths.reruns, '', 'PERSISTENT');
  await ask('r', RERUN);
}
beforeEach(() => setUp());

describe('the begin of a target', () => {
  it('is that of the next fire time of the item alone', async () => {
    expect((await member.begin([0, 2], SECOND)).refused).toEqual(
      new Map([
        [0, 'alreadyBegun'],
        [2, 'alreadyBegun'],
      ]),
    );
    expect((await member.begin([0], FIRST)).lease?.items).toEqual([0]);
  });

  it('comes to nothing if the re-run is withdrawn at the same moment', async () => {
    beforeNextTransaction(member, () => withdraw('r'));

    const { lease, refused } = await member.begin([0], FIRST);

    expect([lease, refused.get(0)]).toEqual([undefined, 'alreadyBegun']);
    expect(await member.holder(0)).toBeUndefined();
  });

  it('comes to nothing if the target ends elsewhere while its record is read', async () => {
    const other = await registry.joined();
    afterNextLoad(member, async () => {
      const { lease } = await other.begin([0], FIRST);
      await other.end(lease!, 0);
    });

    const { refused } = await member.begin([0], FIRST);

    expect(refused.get(0)).toBe('alreadyBegun');
    expect(await progress(0)).toEqual({ ended: 1, failed: 0 });
  });
});

describe('the end of a target', () => {
  it('is noted together with the record', async () => {
    const lease = await begin([0, 1], FIRST);
    lease.settle(1, { kind: 'failed', error: new Error('no such file') });

    await member.end(lease, 0);

    expect([await progress(0), await progress(1)]).toEqual([
      { ended: 1, failed: 0 },
      { ended: 1, failed: 1 },
    ]);
    const again = await begin([0], SECOND);
    await member.end(again, 0);
    expect(await progress(0)).toEqual({ ended: 2, failed: 0 });
  });

  it('is recorded although the re-run is withdrawn, and although it is gone', async () => {
    const [first, second] = [await begin([0], FIRST), await begin([1], FIRST)];
    await withdraw('r');
    await member.tree.sync();
    await member.end(first, 0);
    expect(await progress(0)).toEqual({ ended: 1, failed: 0 });

    await removeAll('r');
    const outcomes = await member.end(second, 1);

    expect(outcomes.get(1)).toEqual({ kind: 'succeeded' });
    expect(await record(1)).toMatchObject({ settled: { outcome: 'succeeded' } });
    expect(await operator.exists(member.tree.paths.rerun('r'))).toBeUndefined();
  });

  it('is recorded if the re-run goes right before it', async () => {
    const lease = await begin([0], FIRST);
    beforeNextTransaction(member, () => removeAll('r'));

    const outcomes = await member.end(lease, 0);

    expect(outcomes.get(0)).toEqual({ kind: 'succeeded' });
    expect(await record(0)).toMatchObject({ settled: { outcome: 'succeeded' } });
  });

  it('is not noted while the item waits for failover, but once the repetition has ended', async () => {
    const lease = await begin([0], FIRST);
    lease.settle(0, { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });
    await lease.settled();
    expect(await progress(0)).toBeUndefined();

    await member.tree.sync();
    const claim = await member.queue.claim(JOB);
    if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);
    await member.end(claim.lease, 0);

    expect(claim.lease.trigger).toMatchObject(FIRST);
    expect(await progress(0)).toEqual({ ended: 1, failed: 0 });
  });

  it('is noted if nobody repeats it as the queue is full', async () => {
    await setUp({ failoverQueueLimit: 1 });
    const victim = await registry.joined();
    await victim.begin([0, 1], FIRST);
    victim.die();

    await member.orphans.sweep(member.tree, member.leader.term(JOB)!);

    expect(await record(1)).toMatchObject({ settled: { cause: 'overflow' } });
    expect([await progress(0), await progress(1)]).toEqual([undefined, { ended: 1, failed: 1 }]);
  });

  it('is noted by the sweep of a run that had been cancelled', async () => {
    const victim = await registry.joined();
    const { lease } = await victim.begin([0], FIRST);
    lease!.abortItem(0, new CancelledError(JOB, 0));
    await registry.clock.advance(0);
    victim.die();

    await member.orphans.sweep(member.tree, member.leader.term(JOB)!);

    expect(await progress(0)).toEqual({ ended: 1, failed: 1 });
  });

  it('is noted if its place in the queue is purged', async () => {
    const victim = await registry.joined();
    await victim.begin([0], FIRST);
    victim.die();
    await member.orphans.sweep(member.tree, member.leader.term(JOB)!);
    await member.tree.sync();

    await purgeQueue(member.tree, member.leader.term(JOB)!, 5_000, () => true);

    expect(await record(0)).toMatchObject({ settled: { cause: 'purged' } });
    expect(await progress(0)).toEqual({ ended: 1, failed: 1 });
  });

  it('is noted if its mark is released as a stray one', async () => {
    await begin([0], FIRST);

    await releaseStrayMarks(
      member.tree,
      registry.clock,
      [0],
      () => false,
      () => {},
    );

    expect(await record(0)).toMatchObject({ settled: { cause: 'released' } });
    expect(await progress(0)).toEqual({ ended: 1, failed: 1 });
  });
});

describe('what items run next', () => {
  it('is the next fire time of the re-run that was asked for first', async () => {
    await ask('later', { ...RERUN, at: 2, items: [0, 2] });
    await member.end(await begin([0], FIRST), 0);

    const next = await nextOfReruns(member.tree, [0, 1, 2, 3]);

    expect(next?.map(({ item, target }) => `${item} ${target.origin} ${target.fireTime}`)).toEqual([
      '0 rerun:r 200',
      '1 rerun:r 100',
      '2 rerun:later 100',
    ]);
  });

  it('leaves out what is withdrawn or damaged', async () => {
    await withdraw('r');
    await operator.create(member.tree.paths.rerun('x'), 'no JSON', 'PERSISTENT');
    await member.tree.sync();

    expect(await nextOfReruns(member.tree, [0, 1])).toEqual([]);
  });

  it.each<[string, (lease: ExecutionLease) => Promise<void>, object]>([
    ['an end that an earlier release has recorded', endWithoutProgress, { outcome: 'succeeded' }],
    ['a run that was cancelled before a crash', cancelAndDie, { outcome: 'aborted', cause: 'cancelled' }],
  ])('begins after %s, which is noted and not repeated', async (_, end, settled) => {
    await setUp({ failover: false });
    const victim = await registry.joined();
    const { lease } = await victim.begin([0], FIRST);
    await end(lease!);
    victim.die();
    await member.tree.sync();
    expect(await nextOfReruns(member.tree, [0])).toEqual([{ item: 0, target: FIRST, isEnded: true }]);

    await noteEndedTarget(member.tree, 0, FIRST);

    expect(await record(0)).toMatchObject({ settled });
    expect(await nextOfReruns(member.tree, [0])).toEqual([{ item: 0, target: SECOND, isEnded: false }]);
  });
});

describe('the removal of a re-run', () => {
  it('comes once all fire times of all its items have ended', async () => {
    await ask('one', { at: 2, items: [2], fireTimes: [100] });
    const lease = await begin([2], { fireTime: 100, origin: 'rerun:one' });
    await remove();
    expect(await operator.exists(member.tree.paths.rerun('one'))).toBeDefined();

    await member.end(lease, 2);
    await remove();

    expect(await operator.children(member.tree.paths.reruns)).toEqual(['r']);
  });

  it('counts items beyond the total as done', async () => {
    await ask('one', { at: 2, items: [2, 3], fireTimes: [100] });
    await member.end(await begin([2], { fireTime: 100, origin: 'rerun:one' }), 2);

    await remove(3);

    expect(await operator.children(member.tree.paths.reruns)).toEqual(['r']);
  });

  it('takes a large one away in parts, of which none begins again', async () => {
    const items = Array.from({ length: 1_200 }, (_, item) => item);
    const { paths } = member.tree;
    await ask('large', { at: 2, items, fireTimes: [100] });
    for (const item of items)
      await operator.create(paths.rerunItem('large', item), '{"ended":1,"failed":0}', 'PERSISTENT');
    await member.tree.sync();
    const seen: (string | undefined)[] = [];
    const { center } = member;
    const commit = center.transaction.bind(center);
    center.transaction = async (...request) => {
      const result = await commit(...request);
      seen.push((await operator.read(paths.rerun('large')))?.data);
      return result;
    };

    await remove(1_200);

    expect(seen.map((data) => data?.includes('"withdrawn":true'))).toEqual([true, true, undefined]);
    expect(await operator.children(paths.reruns)).toEqual(['r']);
  });

  it('finishes a withdrawal that was left half done, with an end in between', async () => {
    const lease = await begin([0], FIRST);
    await withdraw('r');
    await member.tree.sync();
    beforeNextTransaction(member, () => member.end(lease, 0));

    await remove();

    expect(await operator.children(member.tree.paths.reruns)).toEqual([]);
  });
});

async function ask(id: string, rerun: Rerun): Promise<void> {
  await operator.transaction([creation(member.tree.paths.rerun(id), formatRerun(rerun))]);
  await member.tree.sync();
}

async function withdraw(id: string): Promise<void> {
  await operator.set(member.tree.paths.rerun(id), formatRerun({ ...RERUN, withdrawn: true }));
}

async function removeAll(id: string): Promise<void> {
  const path = member.tree.paths.rerun(id);
  for (const name of await operator.children(path)) await operator.delete(`${path}/${name}`);
  await operator.delete(path);
}

async function begin(items: readonly number[], target: Parameters<Member['begin']>[1]): Promise<ExecutionLease> {
  const { lease } = await member.begin(items, target);
  if (lease === undefined) throw new Error('Nothing was begun.');
  return lease;
}

/** Ends the run as a release before re-runs does. */
async function endWithoutProgress({ items, holder }: ExecutionLease): Promise<void> {
  const { paths } = member.tree;
  for (const item of items) {
    const settled = { at: 5, outcome: 'succeeded' };
    await operator.set(paths.record(item), JSON.stringify({ ...(await record(item)), by: holder, settled }));
    await operator.delete(paths.mark(item, 'running'));
  }
}

async function cancelAndDie(lease: ExecutionLease): Promise<void> {
  lease.abortItem(0, new CancelledError(JOB, 0));
  await registry.clock.advance(0);
}

async function remove(total = 4): Promise<void> {
  await member.tree.sync();
  await removeEndedReruns(member.tree, member.leader.term(JOB)!, () => total);
}

async function record(item: number): Promise<Record<string, unknown>> {
  return JSON.parse((await operator.read(member.tree.paths.record(item)))!.data);
}

async function progress(item: number): Promise<unknown> {
  const node = await operator.read(member.tree.paths.rerunItem('r', item));
  return node && JSON.parse(node.data);
}
