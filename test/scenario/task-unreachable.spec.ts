import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TaskJobType, TaskReconciliation } from '../../libs/elastic-job/src/cloud/index.js';
import { CancelledError, type JobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { addJobOfTasks, fire, GRACE_MS, JOB, MINUTE, schedulingOn } from './support/task-schedulers.js';

const KEY = { cluster: 'c', jobName: JOB, item: 0 };
/** Longer than any deadline of a scheduler. */
const LONG_MS = 5 * MINUTE;
const GONE = { name: 'GONE', detail: 'its machine was lost' } as const;

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
let types: TaskJobType[];
let told: JobEvent[];
beforeEach(() => {
  types = [];
  told = [];
});
afterEach(() => cluster.stop());

/** Starts a job of one item, and makes its first task unreachable. */
async function start({ instances = 1, ...options }: Partial<JobOptions> & { instances?: number } = {}): Promise<void> {
  cluster = await createTestCluster({ instances, sessionTimeoutMs: 10_000, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock, delayMs: () => 1 });
  tasks.script(JOB, ({ clock, signal }) => clock.sleep(60 * MINUTE, signal));
  for (let index = 0; index < instances; index += 1) await add(index, options);
  await cluster.advance(5_000);
  await fire({ cluster });
  tasks.unreachable(KEY);
  await cluster.advance(1_000);
}

async function add(index: number, options: Partial<JobOptions> = {}): Promise<void> {
  const stage = { cluster, tasks, hear: (event: JobEvent) => void told.push(event) };
  const scheduling = await schedulingOn(stage, index);
  const type = await addJobOfTasks(stage, index, scheduling, { shardingTotalCount: 1, misfire: false, ...options });
  types.push(type);
}

function owner() {
  return cluster.instances[cluster.assignment(JOB).get(0)!]!.runtime;
}

async function cancel(): Promise<void> {
  const { running } = owner().registrar.of(JOB);
  running.leaseOf(0)?.abortItem(0, new CancelledError(JOB, 0));
  await cluster.advance(1_000);
}

async function crashOwner(): Promise<void> {
  const index = cluster.assignment(JOB).get(0)!;
  cluster.crash(index);
  types.splice(index, 1);
  await cluster.advance(20_000);
}

async function confirmLost(): Promise<void> {
  await cluster.clock.advanceUntil(owner().failover.confirmLost(JOB, 0));
  await cluster.advance(2_000);
}

function outcomes(): readonly object[] {
  return cluster.instances.flatMap((_, index) =>
    cluster.events(index).flatMap((event) => (event.kind === 'settled' ? [event.outcome] : [])),
  );
}

/** The item's task, as living schedulers know it. */
function present(): object {
  return {
    launches: tasks.launches.length,
    shown: types.flatMap(({ running }) => running.map(({ item, state }) => `${item} ${state}`)),
    released: told.filter(({ kind }) => kind === 'task-released').length,
    violations: tasks.violations,
  };
}

const HELD = { launches: 1, shown: ['0 UNREACHABLE'], released: 0, violations: [] };

describe('a task that cannot be reached', () => {
  it.each([
    ['it is cancelled', {}, cancel],
    ['it is cancelled, and its handler may be left behind', { onHung: 'release' } as const, cancel],
    ['its time is over', { timeoutMs: 5_000 }, () => cluster.advance(0)],
    ['its scheduler dies', { instances: 2 }, crashOwner],
    ['its instance leaves', { instances: 2 }, () => cluster.leave(cluster.assignment(JOB).get(0)!)],
  ])('keeps its item busy for as long as that lasts, also if %s', async (_, options, happens) => {
    await start(options);

    await happens();
    await cluster.advance(LONG_MS);

    expect(present()).toEqual(HELD);
  });

  it('ends the run that was cancelled once it is seen to have ended', async () => {
    await start();
    await cancel();
    await cluster.advance(LONG_MS);

    tasks.reachable(KEY);
    await cluster.advance(GRACE_MS + 1_000);

    expect(tasks.isAlive(KEY)).toBe(false);
    expect(outcomes()).toMatchObject([{ kind: 'aborted' }]);
    await fire({ cluster });
    expect(tasks.launches).toHaveLength(2);
    tasks.assertSound();
  });

  it('ends the run that was cancelled once an operator confirms that it is gone', async () => {
    await start({ failover: true });
    await cancel();
    await cluster.advance(MINUTE);
    tasks.endUnseen(KEY, GONE);
    await cluster.advance(MINUTE);
    expect(present()).toEqual(HELD);

    await confirmLost();

    expect(outcomes()).toMatchObject([{ kind: 'aborted', reason: { code: 'CANCELLED' } }]);
    await fire({ cluster });
    expect(tasks.launches).toHaveLength(2);
    tasks.assertSound();
  });

  it('runs again once an operator confirms from outside that it is gone, also after a cancel in vain', async () => {
    await start({ failover: true });
    const operate = new JobOperateApi(await operatorOf(cluster), cluster.clock);
    tasks.endUnseen(KEY, GONE);

    const confirmed = await cluster.clock.advanceUntil(operate.confirmLost(JOB, 0));
    await cluster.clock.advanceUntil(operate.cancel(JOB, 0));
    await cluster.advance(2_000);

    expect(confirmed).toMatchObject({ kind: 'requested' });
    expect(tasks.launches).toHaveLength(2);
    tasks.assertSound();
  });

  it('is adopted when the session of its cancelled run is over, and that run lets go of it', async () => {
    await start({ instances: 2 });
    const index = cluster.assignment(JOB).get(0)!;
    await cancel();
    cluster.partition(index);
    await cluster.advance(20_000);
    await cluster.heal(index);
    await cluster.advance(LONG_MS);
    expect(present()).toEqual(HELD);

    tasks.reachable(KEY);
    await cluster.advance(GRACE_MS + 1_000);

    expect(tasks.isAlive(KEY)).toBe(false);
    expect(tasks.launches).toHaveLength(1);
  });

  it('is shown in the way of the next run, if its own has gone, until an operator confirms it', async () => {
    await start();
    await crashOwner();
    const newcomer = await cluster.join();
    await cluster.clock.advanceUntil(cluster.instances[newcomer]!.center.delete(`/${JOB}/sharding/0/record`));
    await add(newcomer);
    await fire({ cluster });
    await cluster.advance(LONG_MS);
    expect(present()).toEqual(HELD);
    tasks.endUnseen(KEY, GONE);

    await confirmLost();
    await fire({ cluster });

    expect(tasks.launches).toHaveLength(2);
    tasks.assertSound();
  });

  it('stays where nobody follows it: it is told to end, and not released', async () => {
    await start();
    await crashOwner();
    const newcomer = await cluster.join();
    await cluster.clock.advanceUntil(cluster.instances[newcomer]!.center.delete(`/${JOB}/sharding/0/record`));
    const scheduling = await schedulingOn({ cluster, tasks, hear: (event) => void told.push(event) }, newcomer);
    const reconciliation = new TaskReconciliation(scheduling, new TaskJobType(scheduling), GRACE_MS);
    reconciliation.start();
    await cluster.advance(LONG_MS);
    expect(told.filter(({ kind }) => kind === 'task-released')).toEqual([]);

    tasks.reachable(KEY);
    await cluster.advance(MINUTE);

    expect(tasks.isAlive(KEY)).toBe(false);
    expect(told.filter(({ kind }) => kind === 'task-released')).toHaveLength(1);
    await cluster.clock.advanceUntil(reconciliation.stop());
  });
});
