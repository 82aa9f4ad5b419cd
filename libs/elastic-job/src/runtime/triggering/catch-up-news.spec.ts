import { beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionLease } from '../../coordination/index.js';
import type { Trigger } from '../../domain/index.js';
import { SUCCEEDED, triggerAt } from '@test/support/unit/member.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';

const CAUGHT_UP = ['0@2', '1@2'];

let job: OwingJob;
beforeEach(() => start());

describe('an instance that owes a fire time', () => {
  it.each<[string, () => void]>([
    ['the connection is back', () => job.catchUp.treeReset()],
    ['the leader has made a plan', () => job.catchUp.shardingCompleted()],
    ['its own server is switched', () => hearServer(job.member.self.serverIp)],
    ['an item of its own is switched', () => job.catchUp.itemSwitched({ kind: 'ItemSwitched', item: 1 })],
    ['the instance that is to run next is named', () => job.catchUp.nextInstanceChanged()],
    ['an item of its own is released', () => hearReleased(1)],
    ['a run that was failed over has ended', () => hearEnded({ source: 'FAILOVER' })],
  ])('begins it when %s', async (_, happen) => {
    happen();
    await job.rest();
    expect(job.runs).toEqual(CAUGHT_UP);
  });

  it('begins it when a run ends whose item has the misfire flag', async () => {
    await job.setFlag(0);
    hearEnded({});
    await job.rest();
    expect(job.runs).toEqual(CAUGHT_UP);
  });

  it('begins it when a run ends whose item owed it already at the last look', async () => {
    const lease = await heldSinceMinute1();
    await job.wakeCatchUp();
    expect(job.runs).toEqual(['1@2']);

    await ended(lease);

    expect(job.runs).toEqual(['1@2', '0@2']);
  });

  it('begins it when the run ends while the records are read', async () => {
    const lease = await heldSinceMinute1();
    const loadRecords = job.tree.loadRecords.bind(job.tree);
    job.tree.loadRecords = async (...args) => {
      job.tree.loadRecords = loadRecords;
      const records = await loadRecords(...args);
      await ended(lease);
      return records;
    };

    await job.wakeCatchUp();

    expect(job.runs.toSorted()).toEqual(CAUGHT_UP);
  });

  it("begins it when a run ends, and the operator's trigger that it was left to waits no longer", async () => {
    job.awaited.add(0).add(1);
    await job.wakeCatchUp();
    job.awaited.clear();
    hearEnded({});
    await job.rest();
    expect(job.runs).toEqual(CAUGHT_UP);
  });
});

describe('nothing is looked for', () => {
  it.each<[string, () => unknown]>([
    ['another server is switched', () => hearServer('10.0.0.99')],
    ['a run of the schedule ends, as most do', () => hearEnded({})],
    ['a run that was caught up on ends, of a job that catches up on one alone', () => hearEnded({ source: 'MISFIRE' })],
    ['a fire time is begun as it comes', () => (job.catchUp.handles(minute(2)), job.catchUp.handled(minute(2)))],
  ])('when %s', async (_, happen) => {
    await happen();
    await job.rest();
    expect(job.runs).toEqual([]);
  });

  it('when an item of another instance is switched or released', async () => {
    await job.operator.set(job.tree.paths.mark(1, 'instance'), '10.0.0.99@-@1');
    job.catchUp.itemSwitched({ kind: 'ItemSwitched', item: 1 });
    hearReleased(1);
    await job.rest();
    expect(job.runs).toEqual([]);
  });

  it('when the mark of an item goes whose handler still goes on here', async () => {
    const { lease } = await job.member.begin([1], { fireTime: minute(2) });
    job.running.add(lease!);
    hearReleased(1);
    await job.rest();
    expect(job.runs).toEqual([]);
  });

  it('when a run ends while another goes on that was not left to a trigger', async () => {
    const { lease } = await job.member.begin([1], { fireTime: minute(2) });
    job.running.add(lease!);
    await job.wakeCatchUp();
    expect(job.runs).toEqual(['0@2']);
    await job.comeTo(3.1);
    hearEnded({});
    await job.rest();
    expect(job.runs).toEqual(['0@2']);
  });

  it('when a run ends whose item owed nothing at the last look', async () => {
    const { lease } = await job.member.begin([0], { fireTime: minute(2) });
    job.running.add(lease!);
    await job.wakeCatchUp();
    await job.comeTo(3.1);
    await ended(lease!);
    expect(job.runs).toEqual(['1@2']);
  });

  it('when a run ends while another goes on whose item owes something', async () => {
    await heldSinceMinute1();
    await job.wakeCatchUp();
    await job.comeTo(3.1);
    job.catchUp.itemEnded({ kind: 'ItemEnded', trigger: triggerAt(minute(2)), item: 1 });
    await job.rest();
    expect(job.runs).toEqual(['1@2']);
  });

  it('when a trigger meets an item that still runs: its end will tell', async () => {
    const { lease } = await job.member.begin([1], { fireTime: minute(2) });
    job.running.add(lease!);
    job.misfireFlags.add([1]);
    await job.rest();
    expect(job.runs).toEqual([]);
  });

  it('of the registry when an instance without items hears that the next one is named', async () => {
    await job.operator.set(job.tree.paths.server(job.member.self.serverIp), 'DISABLED');
    await job.rest();
    const before = job.member.center.traffic.foreground;
    job.catchUp.nextInstanceChanged();
    await job.rest();
    expect(job.member.center.traffic.foreground).toBe(before);
  });
});

describe('a job that catches up on all fire times', () => {
  beforeEach(() => start({ misfirePolicy: 'all' }));

  it('looks for the next one when a run that was caught up on ends', async () => {
    hearEnded({ source: 'MISFIRE' });
    await job.rest();
    expect(job.runs).toEqual(CAUGHT_UP);
  });

  it('looks for none when a run of the schedule ends', async () => {
    hearEnded({});
    await job.rest();
    expect(job.runs).toEqual([]);
  });

  it('looks for none when a trigger meets items that owe nothing older', async () => {
    await job.ran(2, [0]);
    const { behind, ready } = await job.catchUp.inOrder(triggerAt(minute(3)), [0]);
    await job.rest();
    expect({ behind, ready, runs: job.runs }).toEqual({ behind: [], ready: [0], runs: [] });
  });

  it('reads again what others have written while it was read, before it begins a trigger', async () => {
    job.changeRecordsMeanwhile();
    const { behind, ready } = await job.catchUp.inOrder(triggerAt(minute(3)), [0, 1]);
    expect({ behind, ready }).toEqual({ behind: [0, 1], ready: [] });
  });
});

/** The job has run for minute 1, and owes minute 2. */
async function start(options?: Parameters<typeof OwingJob.of>[0]): Promise<void> {
  job = await OwingJob.sinceMinute1(options);
  await job.comeTo(2.1);
}

/** Item 0 runs here since minute 1, as if it had been another instance's at minute 2. */
async function heldSinceMinute1(): Promise<ExecutionLease> {
  job = await OwingJob.of();
  await job.ran(1, [1]);
  const { lease } = await job.member.begin([0], { fireTime: minute(1) });
  job.running.add(lease!);
  await job.comeTo(2.1);
  return lease!;
}

/** The run of item 0 is settled. */
async function ended(lease: ExecutionLease): Promise<void> {
  lease.settle(0, SUCCEEDED);
  await lease.settled();
  job.running.endLease(0, lease);
  hearEnded({});
  await job.rest();
}

function hearServer(serverIp: string): void {
  job.catchUp.serverChanged({ kind: 'ServerChanged', serverIp });
}

function hearReleased(item: number): void {
  job.catchUp.itemReleased({ kind: 'ItemReleased', item });
}

/** A run of item 0 has ended. */
function hearEnded(trigger: Partial<Trigger>): void {
  job.catchUp.itemEnded({ kind: 'ItemEnded', trigger: triggerAt(minute(1), trigger), item: 0 });
}
