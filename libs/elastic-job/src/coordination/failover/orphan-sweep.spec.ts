import { beforeEach, describe, expect, it } from 'vitest';
import { JobTimeoutError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { beforeNextTransaction, JOB, type Member, type Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { ThreeMembers } from '@test/support/unit/three-members.js';

let members: ThreeMembers;
let registry: Registry;
let leader: Member;
let worker: Member;
let third: Member;
let term: LeadershipTerm;
let operator: RegistryCenter;
beforeEach(async () => {
  members = await ThreeMembers.start();
  ({ registry, leader, worker, third, term } = members);
  operator = await registry.operator();
});

describe('the sweep', () => {
  it('queues the items of an instance that died during a run', async () => {
    await worker.begin([0, 3]);
    await third.begin([1]);
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0, 3]);

    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual([0, 3]);
    expect(await Promise.all([0, 1, 3].map((item) => leader.holder(item)))).toEqual([undefined, third.id, undefined]);
    expect(await leader.queue.pending(JOB)).toMatchObject([
      { item: 0, cause: 'crashed', lastHolder: worker.id },
      { item: 3, cause: 'crashed', lastHolder: worker.id },
    ]);
  });

  it('queues nothing of a run that ended before its instance died', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    expect(leader.tree.queue()).toEqual([]);
  });

  it('costs one request for items that have run and have no mark', async () => {
    const { lease } = await worker.begin([0, 1]);
    for (const item of [0, 1]) lease!.settle(item, SUCCEEDED);
    await registry.clock.advance(0);
    await operator.create(leader.tree.paths.cancels, '', 'PERSISTENT');
    const before = leader.center.traffic.foreground;

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);

    expect(leader.center.traffic.foreground - before).toBe(1);
  });

  it.each([
    ['a greater total', 'shardingTotalCount: 2', 'shardingTotalCount: 4'],
    ['failover', 'failover: false', 'failover: true'],
  ])('queues what %s, written while it sweeps, has made due', async (_, now, next) => {
    await worker.begin([3]);
    worker.die();
    await writeConfig(next, now);
    beforeNextTransaction(leader, () => writeConfig(now, next));

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([3]);
  });

  it.each([
    ['the first one of its job', false],
    ['one of several', true],
  ])('queues no run that an operator cancels while it sweeps, be it %s', async (_, isThere) => {
    const { paths } = leader.tree;
    await writeConfig('shardingTotalCount: 4', 'shardingTotalCount: 3');
    const { lease } = await worker.begin([0, 3]);
    if (isThere) await operator.create(paths.cancels, '', 'PERSISTENT');
    worker.die();
    beforeNextTransaction(leader, async () => {
      if (!isThere) await operator.create(paths.cancels, '', 'PERSISTENT');
      await operator.set(paths.cancels, '');
      await operator.create(paths.cancel(0), lease!.run!, 'PERSISTENT');
    });

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    await leader.tree.sync();
    expect(JSON.parse((await operator.read(paths.record(0)))!.data)).toMatchObject({
      settled: { outcome: 'aborted', cause: 'cancelled' },
    });
  });

  it('queues the item of a Java peer that an operator has cancelled, since no record tells its run', async () => {
    const { paths } = leader.tree;
    await operator.create(paths.mark(0, 'running'), '10.0.0.8@-@4711', 'PERSISTENT');
    await operator.create(paths.cancels, '', 'PERSISTENT');
    await operator.create(paths.cancel(0), 'a run', 'PERSISTENT');
    await leader.orphans.sweep(leader.tree, term);
    await registry.clock.advance(1_000);

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
  });

  it('records the first stop of a run that was told to stop twice', async () => {
    const { paths } = leader.tree;
    const { lease } = await worker.begin([0]);
    lease!.abortItem(0, new JobTimeoutError(JOB, 0, 1_000));
    await registry.clock.advance(0);
    await operator.create(paths.cancels, '', 'PERSISTENT');
    await operator.create(paths.cancel(0), lease!.run!, 'PERSISTENT');
    worker.die();
    const stopped: unknown[] = [];

    expect(await leader.orphans.sweep(leader.tree, term, { onStopped: (runs) => stopped.push(runs) })).toEqual([]);

    expect(stopped).toMatchObject([{ items: [0], reason: 'timed-out' }]);
    expect(JSON.parse((await operator.read(paths.record(0)))!.data)).toMatchObject({ settled: { cause: 'timed-out' } });
  });

  it('writes the records of queued runs as they are, with what a later release has put there', async () => {
    await worker.begin([0, 1]);
    const records = [0, 1].map((item) => leader.tree.paths.record(item));
    const textOf = async (record: string) => (await operator.read(record))!.data;
    for (const record of records)
      await operator.set(record, `{"later": "${record}", ${(await textOf(record)).slice(1)}`);
    const before = await Promise.all(records.map(textOf));
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0, 1]);

    expect(await Promise.all(records.map(textOf))).toEqual(before);
  });

  it('of an instance that registers adds nothing to that if there are no marks of its own id', async () => {
    await worker.begin([0]);
    await leader.tree.sync();

    expect(await leader.orphans.sweepOfOwn(leader.tree)).toEqual({
      operations: [],
      queued: [],
      overflowed: [],
      stopped: [],
    });
  });

  it('queues a run whose executor an operator has confirmed to be gone', async () => {
    const { paths } = leader.tree;
    const { lease } = await worker.begin([0]);
    await operator.create(paths.cancels, '', 'PERSISTENT');
    await operator.create(paths.cancel(0), `${lease!.run} lost`, 'PERSISTENT');
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
  });

  it('queues a run if an earlier one of its item is to be cancelled', async () => {
    const { paths } = leader.tree;
    await worker.begin([0]);
    await operator.create(paths.cancels, '', 'PERSISTENT');
    await operator.create(paths.cancel(0), 'an earlier run', 'PERSISTENT');
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
  });

  it('reports no overflow if there is room', async () => {
    await worker.begin([0]);
    worker.die();
    const told: unknown[] = [];
    await leader.orphans.sweep(leader.tree, term, { onOverflow: (items) => told.push(items) });
    expect(told).toEqual([]);
  });

  it('removes stale marks and queues nothing if failover is off', async () => {
    await worker.begin([0]);
    worker.die();
    await writeConfig('failover: true', 'failover: false');

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);

    await leader.tree.sync();
    expect(leader.tree.isRunning(0)).toBe(false);
    expect(leader.tree.queue()).toEqual([]);
  });

  it('queues an item again, without marks, if its rescuer died', async () => {
    await members.orphan(0);
    expect((await worker.queue.claim(JOB)).kind).toBe('claimed');
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);

    await leader.tree.sync();
    expect(leader.tree.descendants(leader.tree.paths.item(0))).toEqual([
      leader.tree.paths.mark(0, 'instance'),
      leader.tree.paths.record(0),
    ]);
  });

  it("lets others claim an item whose rescuer left while the rescuer's session lasts", async () => {
    await members.orphan(0);
    await worker.queue.claim(JOB);
    await worker.instances.leave(worker.tree);

    await leader.orphans.sweep(leader.tree, term);

    await third.tree.sync();
    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });

  it('queues nothing for a deposed leader', async () => {
    await worker.begin([0]);
    worker.die();
    await (await registry.operator()).delete(leader.tree.paths.leader);
    leader.leader.endTerm(JOB, new Error('deposed'));

    await expect(leader.orphans.sweep(leader.tree, term)).rejects.toThrow('deposed');
    await third.tree.sync();
    expect(third.tree.queue()).toEqual([]);
  });

  it('either queues an item or leaves it settled if it races with the settle', async () => {
    const { lease } = await worker.begin([0]);
    await worker.instances.leave(worker.tree); // Its session goes on, and so does its settle.

    lease!.settle(0, SUCCEEDED);
    const [queued, outcome] = await Promise.all([leader.orphans.sweep(leader.tree, term), members.settledIn(lease!)]);

    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual(queued);
    expect(outcome.get(0)!.kind).toBe(queued.length > 0 ? 'fenced' : 'succeeded');
  });

  it('makes the registry refuse a begin with the version of the record from before it', async () => {
    await worker.begin([0]);
    worker.die();
    const { paths } = leader.tree;
    await leader.tree.loadRecords([0]);
    const { version } = leader.tree.stat(paths.record(0))!;

    await leader.orphans.sweep(leader.tree, term);

    const begin = { kind: 'set', path: paths.record(0), data: '', version } as const;
    expect(await third.center.transaction([begin])).toMatchObject({ kind: 'refused', refusal: 'BAD_VERSION' });
  });
});

describe('the sweep of an instance that an operator has shut down', () => {
  it('leaves its items alone while its session lasts, until its grace is over', async () => {
    await worker.begin([0]);
    await (await registry.operator()).delete(worker.tree.paths.instance(worker.id));

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    await registry.clock.advance(4_000);
    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    expect(await leader.holder(0)).toBe(worker.id);
    await registry.clock.advance(1_000);

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
    expect(await leader.holder(0)).toBeUndefined();
  });
});

async function writeConfig(text: string, replacement: string): Promise<void> {
  const { data } = (await leader.center.read(leader.tree.paths.config))!;
  await leader.center.set(leader.tree.paths.config, data.replace(text, replacement));
}
