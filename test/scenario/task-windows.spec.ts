import { afterEach, expect, it } from 'vitest';
import type { TaskHandle } from '../../libs/elastic-job/src/cloud/index.js';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import type { TaskHoldOptions, TaskRequest } from '../../libs/elastic-job/src/testing/index.js';
import { addJobOfTasks, JOB, MINUTE, schedulingOn } from './support/task-schedulers.js';

/** Rounds in each window; `TASK_WINDOW_ROUNDS=200` is the long form. */
const ROUNDS = Number(process.env['TASK_WINDOW_ROUNDS'] ?? 5);
const SESSION_MS = 10_000;
const WORK_MS = 5_000;
const INSTANCES = 3;

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
afterEach(() => cluster.stop());

async function start(failover: boolean): Promise<void> {
  cluster = await createTestCluster({ instances: INSTANCES, sessionTimeoutMs: SESSION_MS, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock, delayMs: () => 1 });
  tasks.script(JOB, ({ clock, signal }) => clock.sleep(WORK_MS, signal));
  const stage = { cluster, tasks };
  for (const index of cluster.instances.keys()) {
    await addJobOfTasks(stage, index, await schedulingOn(stage, index), { shardingTotalCount: INSTANCES, failover });
  }
  await cluster.advance(5_000);
}

/**
 * The moments at which a scheduler stands still: before the launch, before the gate is opened, while the task runs,
 * after the settle.
 */
const WINDOWS: readonly [string, TaskRequest, TaskHoldOptions['at']][] = [
  ['before the launch', 'claim', 'before'],
  ['between launch and gate', 'claim', 'after'],
  ['before the gate is opened', 'open', 'before'],
  ['while the task runs', 'open', 'after'],
  ['after the settle', 'release', 'before'],
];

it.each(WINDOWS.flatMap((window) => [true, false].map((failover) => [...window, failover] as const)))(
  'launches each target once if a scheduler stands still %s (%s, %s; failover: %s)',
  async (_, request, at, failover) => {
    await start(failover);
    let hits = 0;
    const targets: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const index = round % INSTANCES;
      const held = tasks.holdNext(request, { at, scheduler: `s${index}` });
      await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE));
      targets.push(cluster.clock.wallNow());
      await cluster.clock.advanceUntil(held.reached);
      hits += 1;
      cluster.pause(index);
      held.goOn();
      await cluster.advance(3 * SESSION_MS);
      await cluster.resume(index);
      await cluster.advance(90_000);
    }

    tasks.assertSound();
    expect(hits).toBe(ROUNDS);
    for (const target of targets) {
      const launched = tasks.launches.filter((launch) => launch.target.fireTime === target);
      expect(launched.map(({ key }) => key.item).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    }
    expect((await leftOver()).filter(({ isGated }) => isGated)).toEqual([]);
  },
);

/** Tasks that nobody has released. */
async function leftOver(): Promise<readonly TaskHandle[]> {
  const witness = tasks.backend();
  await witness.start({ clock: cluster.clock, cluster: 'c', emit: () => {} });
  const found: TaskHandle[] = [];
  const listed = async (): Promise<void> => {
    for await (const handle of witness.list()) found.push(handle);
  };
  await cluster.clock.advanceUntil(listed());
  return found;
}
