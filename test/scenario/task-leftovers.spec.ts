import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type TaskHandle,
  TaskJobType,
  TaskReconciliation,
  type TaskScheduling,
} from '../../libs/elastic-job/src/cloud/index.js';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { addJobOfTasks, fire as fireIn, GRACE_MS, JOB, MINUTE, schedulingOn } from './support/task-schedulers.js';

const SESSION_MS = 10_000;
const WORK_MS = 5_000;

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
let told: JobEvent[];
let reconciliations: TaskReconciliation[];
let recordsAsked: number;

beforeEach(async () => {
  told = [];
  reconciliations = [];
  cluster = await createTestCluster({ instances: 2, sessionTimeoutMs: SESSION_MS, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock, delayMs: () => 1 });
  tasks.script(JOB, ({ clock, signal }) => clock.sleep(WORK_MS, signal));
  for (const index of [0, 1]) {
    const scheduling = await countedOn(index);
    reconcile(scheduling, await addJobOfTasks({ cluster, tasks }, index, scheduling, { misfire: false }));
  }
  await cluster.advance(5_000);
});
afterEach(async () => {
  await cluster.clock.advanceUntil(Promise.all(reconciliations.map((one) => one.stop())));
  await cluster.stop();
});

describe('a task that no scheduler follows any more', () => {
  it('is released within 60 s if the answer to its release is lost', async () => {
    const held = tasks.holdNext('release', { at: 'before', scheduler: 's0' });
    await fire();
    await cluster.clock.advanceUntil(held.reached);
    held.fail();
    await cluster.advance(100);
    expect(await standing()).toHaveLength(1);

    await cluster.advance(MINUTE - WORK_MS - 5_000);

    expect(await standing()).toEqual([]);
    expect(told.filter(({ kind }) => kind === 'task-released')).toHaveLength(2);
  });

  it('is released by another scheduler if its own has died between the settle and the release', async () => {
    const held = tasks.holdNext('release', { at: 'before', scheduler: 's0' });
    await fire();
    await cluster.clock.advanceUntil(held.reached);
    cluster.crash(0);

    await cluster.advance(50_000);

    expect(await standing()).toEqual([]);
  });

  it('is released although its gate is closed, if its scheduler stood still until the run was taken over', async () => {
    const held = tasks.holdNext('claim', { at: 'before', scheduler: 's0' });
    await fire();
    await cluster.clock.advanceUntil(held.reached);
    cluster.pause(0);
    held.goOn();
    await cluster.advance(3 * SESSION_MS);
    await cluster.resume(0);

    await cluster.advance(90_000 - (cluster.clock.wallNow() % MINUTE));

    expect((await standing()).filter(({ isGated }) => isGated)).toEqual([]);
    tasks.assertSound();
  });

  it('is told to end, and released when it has ended, if its job was removed while it ran', async () => {
    const ended = await leaveRunning();

    await cluster.advance(2 * 20_000 + 1_000);
    expect(ended()).toBe(2);
    await cluster.advance(20_000);

    expect(await standing()).toEqual([]);
  });

  it('is told to end again, after ever longer pauses, until that has an answer', async () => {
    const ended = await leaveRunning();
    const times: number[] = [];
    const failFour = async (): Promise<void> => {
      while (times.length < 4) {
        const held = tasks.holdNext('cancel', { key: { jobName: JOB, item: 0 } });
        await held.reached;
        times.push(cluster.clock.wallNow());
        held.fail();
      }
    };
    void failFour();

    await cluster.advance(10 * MINUTE);

    expect([times.length, ended()]).toEqual([4, 2]);
    const pauses = times.slice(1).map((at, index) => at - times[index]!);
    expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
    expect(pauses[0]).toBeLessThanOrEqual(40_000);
    expect(pauses[2]).toBeGreaterThan(40_000);
    expect(await standing()).toEqual([]);
  });
});

describe('a task whose run is not over', () => {
  it('is left alone while it runs, however long', async () => {
    tasks.script(JOB, ({ clock, signal }) => clock.sleep(20 * MINUTE, signal));
    await fire();

    await cluster.advance(10 * MINUTE);

    expect(await standing()).toHaveLength(2);
    expect(tasks.launches).toHaveLength(2);
  });

  it('costs no request while the only scheduler follows all tasks itself', async () => {
    tasks.script(JOB, ({ clock, signal }) => clock.sleep(20 * MINUTE, signal));
    await cluster.clock.advanceUntil(reconciliations[1]!.stop());
    await cluster.leave(1);
    await fire();
    recordsAsked = 0;

    await cluster.advance(10 * MINUTE);

    expect(await standing()).toHaveLength(2);
    expect(recordsAsked).toBe(0);
  });

  it('is left alone while nobody follows it, and adopted', async () => {
    tasks.script(JOB, ({ clock, signal }) => clock.sleep(2 * MINUTE, signal));
    await fire();
    cluster.crash(0);

    await cluster.advance(3 * MINUTE);

    expect(told.filter(({ kind }) => kind === 'task-adopted')).toHaveLength(1);
    expect(tasks.launches.filter(({ target }) => target.fireTime === tasks.launches[0]!.target.fireTime)).toHaveLength(
      2,
    );
    tasks.assertSound();
  });

  it('waits behind its gate while its job has no instance, and the next instance adopts and opens it', async () => {
    tasks.script(JOB, ({ clock, signal }) => clock.sleep(20 * MINUTE, signal));
    const held = tasks.holdNext('claim', { at: 'after', scheduler: 's0' });
    await fire();
    await cluster.clock.advanceUntil(held.reached);
    const { uid } = (await standing()).find(({ isGated }) => isGated)!;
    for (const index of [0, 1]) cluster.crash(index);
    const newcomer = await cluster.join();
    const scheduling = await countedOn(newcomer);
    reconcile(scheduling, new TaskJobType(scheduling));

    await cluster.advance(10 * MINUTE);

    expect((await standing()).find((task) => task.uid === uid)).toMatchObject({ isGated: true });

    await addJobOfTasks({ cluster, tasks }, newcomer, scheduling, { misfire: false });
    await cluster.advance(20_000);

    expect((await standing()).find((task) => task.uid === uid)).toMatchObject({ isGated: false });
    tasks.assertSound();
  });

  it('is left alone while the registry does not answer', async () => {
    tasks.script(JOB, ({ clock, signal }) => clock.sleep(20 * MINUTE, signal));
    await fire();
    for (const index of [0, 1]) cluster.partition(index);

    await cluster.advance(5 * MINUTE);

    expect(told.filter(({ kind }) => kind === 'task-released')).toEqual([]);
  });
});

/**
 * Leaves two running tasks of a job that is gone to a new scheduler. @returns how many of them have ended since then
 */
async function leaveRunning(): Promise<() => number> {
  let ended = 0;
  tasks.script(JOB, async ({ clock, signal }) => {
    await clock.sleep(30 * MINUTE, signal).finally(() => (ended += 1));
  });
  await fire();
  for (const index of [0, 1]) cluster.crash(index);
  await cluster.advance(2 * SESSION_MS);
  const newcomer = await cluster.join();
  const { center } = cluster.instances[newcomer]!;
  for (const item of [0, 1]) await cluster.clock.advanceUntil(center.delete(`/${JOB}/sharding/${item}/record`));
  const scheduling = await countedOn(newcomer);
  reconcile(scheduling, new TaskJobType(scheduling));
  return () => ended;
}

function fire(): Promise<void> {
  return fireIn({ cluster });
}

async function standing(): Promise<readonly TaskHandle[]> {
  const backend = tasks.backend();
  await backend.start({ clock: cluster.clock, cluster: 'c', emit: () => {} });
  const found: TaskHandle[] = [];
  const listed = async (): Promise<void> => {
    for await (const handle of backend.list()) found.push(handle);
  };
  await cluster.clock.advanceUntil(listed());
  return found;
}

/** Counts the records that are read. */
async function countedOn(index: number): Promise<TaskScheduling> {
  const scheduling = await schedulingOn({ cluster, tasks, hear: (event) => void told.push(event) }, index);
  return {
    ...scheduling,
    recordsOf: (items, signal) => {
      recordsAsked += items.length;
      return scheduling.recordsOf(items, signal);
    },
  };
}

function reconcile(scheduling: TaskScheduling, type: TaskJobType): void {
  const reconciliation = new TaskReconciliation(scheduling, type, GRACE_MS);
  reconciliation.start();
  reconciliations.push(reconciliation);
}
