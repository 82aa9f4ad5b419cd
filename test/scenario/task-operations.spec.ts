import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobOptions } from '../../libs/elastic-job/src/domain/index.js';
import {
  JobOperateApi,
  type ShardingInfo,
  ShardingOperateApi,
  ShardingStatisticsApi,
} from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { allNodes, operatorOf } from './support/registry-walk.js';
import { addJobOfTasks, fire as fireIn, JOB, MINUTE, schedulingOn } from './support/task-schedulers.js';

const WORK_MS = 30_000;
const STAGING_MS = 2_000;

let cluster: TestCluster;
let operator: RegistryCenter;
let tasks: MemoryTaskCluster;
let told: JobEvent[];

beforeEach(() => (told = []));
afterEach(() => cluster.stop());

async function start(
  instances: number,
  { adopts = true, ...options }: Partial<JobOptions> & { adopts?: boolean } = {},
) {
  cluster = await createTestCluster({ instances, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock, adopts, delayMs: () => 1 });
  tasks.script(JOB, ({ clock, signal }) => clock.sleep(WORK_MS, signal));
  for (let index = 0; index < instances; index += 1) {
    const stage = { cluster, tasks, hear: (event: JobEvent) => void told.push(event) };
    await addJobOfTasks(stage, index, await schedulingOn(stage, index), { misfire: false, ...options });
  }
  operator = await operatorOf(cluster);
  await cluster.advance(5_000);
}

function fire(): Promise<void> {
  return fireIn({ cluster });
}

function infoOf(item: number): Promise<ShardingInfo> {
  const infos = new ShardingStatisticsApi(operator).getShardingInfo(JOB);
  return cluster.clock.advanceUntil(infos).then((all) => all[item]!);
}

function uids(kind: 'task-launched' | 'task-adopted', item: number): readonly string[] {
  return told.flatMap((event) => (event.kind === kind && event.item === item ? [event.task.uid] : []));
}

async function shownNodes(): Promise<readonly string[]> {
  return (await allNodes(operator, `/${JOB}`)).map(({ path }) => path).filter((path) => path.endsWith('/task'));
}

function settledKinds(item: number): readonly string[] {
  return cluster.instances
    .flatMap((_, index) => cluster.events(index))
    .flatMap((event) => (event.kind === 'settled' && event.item === item ? [event.outcome.kind] : []));
}

describe('an item whose work is a task', () => {
  it('shows its task with id, state and launch to every operator, until it is settled', async () => {
    await start(2);
    tasks.script(JOB, [
      { state: { name: 'STAGING' }, ms: STAGING_MS },
      { state: { name: 'QUEUED', detail: 'no room' }, ms: 5_000 },
      { state: { name: 'RUNNING' }, ms: WORK_MS },
      { state: { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 1 } } },
    ]);
    await fire();
    const [id] = uids('task-launched', 0);
    expect(await infoOf(0)).toMatchObject({
      task: { id, backend: 'memory', state: 'STAGING', launch: 1, source: 'NORMAL_TRIGGER' },
      lastRun: { launch: 1 },
    });

    await cluster.advance(2_000);
    expect((await infoOf(0)).task).toMatchObject({ id, state: 'QUEUED', detail: 'no room' });
    const queuedAt = (await infoOf(0)).task!.since;
    await cluster.advance(5_000);
    const task = (await infoOf(0)).task!;
    expect(task).toMatchObject({ id, state: 'RUNNING' });
    expect(task.since - queuedAt).toBeGreaterThanOrEqual(5_000);
    for (const { runtime } of cluster.instances) {
      const running = await cluster.clock.advanceUntil(runtime.executions.running(JOB));
      expect(running).toMatchObject([
        { item: 0, task: { id, state: 'RUNNING' } },
        { item: 1, task: { launch: 1 } },
      ]);
    }

    await cluster.advance(WORK_MS);
    expect(settledKinds(0)).toEqual(['succeeded']);
    expect(await infoOf(0)).toMatchObject({ task: undefined, lastRun: { outcome: 'succeeded' } });
    expect(await shownNodes()).toEqual([]);
  });

  it('shows the same task once another scheduler has adopted it', async () => {
    await start(2, { failover: true });
    tasks.script(JOB, ({ clock, signal }) => clock.sleep(5 * MINUTE, signal));
    await fire();
    const owner = cluster.assignment(JOB).get(0)!;
    const { task } = await infoOf(0);
    expect(task?.id).toBe(uids('task-launched', 0)[0]);

    cluster.crash(owner);
    await cluster.advance(20_000);

    expect(uids('task-adopted', 0)).toEqual([task!.id]);
    expect((await infoOf(0)).task).toMatchObject({ id: task!.id, state: 'RUNNING', launch: 1, source: 'FAILOVER' });
  });

  it('shows a task that cannot be reached, which is busy until it comes back', async () => {
    await start(1);
    await fire();
    tasks.unreachable({ cluster: 'c', jobName: JOB, item: 1 });
    await cluster.advance(1_000);
    expect(await infoOf(1)).toMatchObject({ status: 'RUNNING', task: { state: 'UNREACHABLE' } });

    tasks.reachable({ cluster: 'c', jobName: JOB, item: 1 });
    await cluster.advance(1_000);
    expect((await infoOf(1)).task).toMatchObject({ state: 'RUNNING' });
  });
});

describe('requests of operators', () => {
  it('cancel one task, which ends, and is not launched again', async () => {
    await start(2, { failover: true });
    await fire();
    const operate = new JobOperateApi(operator, cluster.clock);

    expect(await cluster.clock.advanceUntil(operate.cancel(JOB, 0))).toMatchObject({ kind: 'requested' });
    await cluster.advance(3_000);

    expect(settledKinds(0)).toEqual(['aborted']);
    expect(tasks.isAlive({ cluster: 'c', jobName: JOB, item: 0 })).toBe(false);
    expect(await infoOf(0)).toMatchObject({ task: undefined, isQueued: false });
    expect((await infoOf(1)).task?.state).toBe('RUNNING');
    expect(uids('task-launched', 0)).toHaveLength(1);
  });

  it.each([
    ['the task has ended', false],
    ['it hears of the cancel', true],
  ])('cancel one task for good, also if its scheduler dies before %s', async (_, isDead) => {
    await start(3, { failover: true });
    tasks.script(JOB, ({ clock }) => clock.sleep(10 * MINUTE)); // it ignores its signal
    await fire();
    const holder = cluster.runs(JOB).find(({ item }) => item === 0)!.instance;
    const operate = new JobOperateApi(operator, cluster.clock);
    if (isDead) cluster.crash(holder);
    await cluster.clock.advanceUntil(operate.cancel(JOB, 0));
    await cluster.advance(500);

    if (!isDead) cluster.crash(holder);
    await cluster.advance(35_000);

    expect(uids('task-launched', 0)).toHaveLength(1);
    expect(tasks.isAlive({ cluster: 'c', jobName: JOB, item: 0 })).toBe(false);
    expect(await infoOf(0)).toMatchObject({ lastRun: { outcome: 'aborted' }, isQueued: false });
  });

  it('trigger a run of tasks between the fire times', async () => {
    await start(2, { cron: '0 0 0 1 1 ? 2099' });
    const operate = new JobOperateApi(operator, cluster.clock);
    await cluster.clock.advanceUntil(operate.trigger(JOB));
    await cluster.advance(1_000);

    expect((await infoOf(0)).task).toMatchObject({ state: 'RUNNING' });
    expect((await infoOf(1)).task).toMatchObject({ state: 'RUNNING' });
    await cluster.advance(WORK_MS);
    expect([settledKinds(0), settledKinds(1)]).toEqual([['succeeded'], ['succeeded']]);
  });

  it('disable an item, whose task ends by itself, and which is launched again once it is enabled', async () => {
    await start(2);
    await fire();
    const items = new ShardingOperateApi(operator);
    await cluster.clock.advanceUntil(items.disable(JOB, 0));
    await fire();
    expect(settledKinds(0)).toEqual(['succeeded']);
    expect((await infoOf(0)).task).toBeUndefined();
    expect([uids('task-launched', 0).length, uids('task-launched', 1).length]).toEqual([1, 2]);

    await cluster.clock.advanceUntil(items.enable(JOB, 0));
    await fire();

    expect(uids('task-launched', 0)).toHaveLength(2);
  });

  it('keep the item of a dead scheduler queued until a task of the other scheduler has ended', async () => {
    await start(2, { adopts: false, failover: true, concurrency: 1 });
    await fire();
    const owner = cluster.assignment(JOB).get(0)!;
    const { failover } = cluster.instances[1 - owner]!.runtime;
    cluster.crash(owner);
    await cluster.advance(15_000);
    expect(await cluster.clock.advanceUntil(failover.pending(JOB))).toMatchObject([{ item: 0 }]);
    expect(await infoOf(0)).toMatchObject({ isQueued: true, task: undefined });

    await cluster.advance(WORK_MS - 10_000);

    expect(await cluster.clock.advanceUntil(failover.pending(JOB))).toEqual([]);
    expect((await infoOf(0)).task).toMatchObject({ launch: 2, source: 'FAILOVER', state: 'RUNNING' });
    expect(uids('task-launched', 0)).toHaveLength(2);
  });
});
