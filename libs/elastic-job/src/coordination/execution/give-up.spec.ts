import { beforeEach, describe, expect, it } from 'vitest';
import { lastScheduledOf } from '../../domain/index.js';
import { beforeNextTransaction, type Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { JobTree } from '../job-tree/index.js';
import { giveUpFireTimes } from './give-up.js';

let member: Member;
let other: Member;
beforeEach(async () => {
  const members = await new Registry().sharded(2);
  [member, other] = [members[0], members[1]!];
});

describe('fire times that are given up', () => {
  it('refuses a fire time that was given up, and begins a later one', async () => {
    await runFor(1_000);

    const former = await giveUpFireTimes(member.tree, new Map([[0, 5_000]]));

    expect(former).toEqual(new Map([[0, 1_000]]));
    expect((await other.begin([0], { fireTime: 4_000 })).refused).toEqual(new Map([[0, 'alreadyBegun']]));
    expect((await other.begin([0], { fireTime: 6_000 })).former).toEqual(new Map([[0, 5_000]]));
  });

  it('happens once if two instances give up the same fire times', async () => {
    await runFor(1_000);
    await other.tree.sync();

    const answers = await Promise.all([member, other].map(({ tree }) => giveUpFireTimes(tree, new Map([[0, 5_000]]))));

    expect(new Set(answers.map(({ size }) => size))).toEqual(new Set([0, 1]));
  });

  it.each([
    ['runs', async () => void (await other.begin([0], { fireTime: 2_000 }))],
    ['has got on', async () => runFor(7_000)],
    [
      'waits for failover',
      async () => void (await member.tree.registry.create(member.tree.paths.queued(0), '', 'PERSISTENT')),
    ],
  ])('leaves an item as it is if it %s', async (_, change) => {
    await runFor(1_000);
    await change();
    await member.tree.sync();
    const { data } = (await member.tree.registry.read(member.tree.paths.record(0)))!;

    expect(await giveUpFireTimes(member.tree, new Map([[0, 5_000]]))).toEqual(new Map());
    expect(await member.tree.registry.read(member.tree.paths.record(0))).toMatchObject({ data });
  });

  it('gives up what an item owes that only operators have run, and since when it owes it', async () => {
    const { lease } = await member.begin([0], { fireTime: 1_000, origin: 'manual:1' });
    lease!.settle(0, SUCCEEDED);
    await lease!.settled();

    expect(await giveUpFireTimes(member.tree, new Map([[0, 5_000]]))).toEqual(new Map([[0, 1_000]]));

    const { data } = (await member.tree.registry.read(member.tree.paths.record(0)))!;
    expect(JSON.parse(data)).toMatchObject({ lastScheduled: 5_000 });
    expect(JSON.parse(data)).not.toHaveProperty('owesAfter');
  });

  it('leaves an item as it is that has got just so far, or whose record cannot be read', async () => {
    await runFor(5_000);
    await member.tree.registry.create(member.tree.paths.record(1), 'junk', 'PERSISTENT');
    await member.tree.sync();

    const all = [0, 1, 99].map((item) => [item, 5_000] as const);
    expect(await giveUpFireTimes(member.tree, new Map(all))).toEqual(new Map());
    expect((await member.tree.registry.read(member.tree.paths.record(1)))?.data).toBe('junk');
  });

  it('knows records that another instance has written since', async () => {
    await runFor(1_000);
    const { lease } = await other.begin([0], { fireTime: 3_000 });
    lease!.settle(0, SUCCEEDED);
    await lease!.settled();
    await member.tree.sync();

    expect(await giveUpFireTimes(member.tree, new Map([[0, 5_000]]))).toEqual(new Map([[0, 3_000]]));
  });

  it('leaves the fire times of a clock that ran ahead to the begin that finds out', async () => {
    const { center, self, tree } = member;
    const wall = tree.clock.wallNow();
    const now = () => ({ earliest: wall, latest: wall, toleranceMs: 10_000 });
    const target = { fireTime: wall + 3_600_000, origin: 'schedule' };
    await center.create(tree.paths.record(0), JSON.stringify({ v: 1, run: 'r', by: 'x', target }), 'PERSISTENT');
    const informed = await JobTree.open(center, tree.clock, tree.jobName, self, { now });

    expect(await giveUpFireTimes(informed, new Map([[0, wall + 7_200_000]]))).toEqual(new Map());
  });

  it('is decided anew if another instance writes a record meanwhile', async () => {
    await runFor(1_000);
    beforeNextTransaction(member, async () => {
      const { lease } = await other.begin([0], { fireTime: 3_000 });
      await other.end(lease!, 0);
    });

    expect(await giveUpFireTimes(member.tree, new Map([[0, 5_000]]))).toEqual(new Map([[0, 3_000]]));
    expect((await other.begin([0], { fireTime: 4_000 })).refused).toEqual(new Map([[0, 'alreadyBegun']]));
  });

  it('costs no request if the records are known and there is nothing to give up', async () => {
    await runFor(5_000);
    await member.tree.loadRecords([0]);
    const before = member.center.traffic.foreground;

    expect(await giveUpFireTimes(member.tree, new Map([[0, 5_000]]))).toEqual(new Map());

    expect(member.center.traffic.foreground).toBe(before);
  });

  it('leaves an item without a record as it is', async () => {
    expect(await giveUpFireTimes(member.tree, new Map([[1, 5_000]]))).toEqual(new Map());
  });

  it('keeps a run that another instance begins meanwhile', async () => {
    await runFor(1_000);
    await other.tree.sync();
    const giving = giveUpFireTimes(member.tree, new Map([[0, 5_000]]));
    const { lease } = await other.begin([0], { fireTime: 5_000 });

    await giving;

    await member.tree.sync();
    await member.tree.loadRecords([0]);
    expect(lastScheduledOf(member.tree.record(0)!.stored)).toBe(5_000);
    expect(member.tree.isRunning(0)).toBe(lease !== undefined);
  });

  it('keeps them given up in the failover of a crashed run', async () => {
    await runFor(1_000);
    await giveUpFireTimes(member.tree, new Map([[0, 5_000]]));
    await member.tree.registry.create(member.tree.paths.queued(0), '', 'PERSISTENT');
    await member.tree.sync();
    const trigger = { jobName: member.tree.jobName, fireTime: 1_000, origin: 'schedule', source: 'FAILOVER' } as const;

    await member.executions.beginClaimed(member.tree, trigger, [0]);

    await other.tree.sync();
    await other.tree.loadRecords([0]);
    expect(other.tree.record(0)!.stored).toMatchObject({
      record: { target: { fireTime: 1_000 }, lastScheduled: 5_000 },
    });
  });
});

async function runFor(fireTime: number): Promise<void> {
  const { lease } = await member.begin([0], { fireTime });
  lease!.settle(0, SUCCEEDED);
  await lease!.settled();
}
