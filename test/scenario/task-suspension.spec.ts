import { afterEach, expect, it } from 'vitest';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { addJobOfTasks, fire, JOB, schedulingOn } from './support/task-schedulers.js';

const WORK_MS = 3_000;

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
afterEach(() => cluster.stop());

async function start(failover: boolean): Promise<void> {
  cluster = await createTestCluster({ instances: 2, sessionTimeoutMs: 20_000, suspendedGraceMs: 500, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock });
  tasks.script(JOB, ({ clock, signal }) => clock.sleep(WORK_MS, signal));
  for (const index of [0, 1]) {
    const stage = { cluster, tasks };
    await addJobOfTasks(stage, index, await schedulingOn(stage, index), { shardingTotalCount: 1, failover });
  }
  await cluster.advance(5_000);
}

it.each([true, false])(
  'adopts a task that went on after the registry was silent beyond suspendedGraceMs (failover: %s)',
  async (failover) => {
    await start(failover);
    await fire({ cluster });
    const owner = cluster.assignment(JOB).get(0)!;
    cluster.partition(owner);
    await cluster.advance(WORK_MS + 2_000);
    await cluster.heal(owner);
    await cluster.advance(10_000);

    expect(tasks.launches).toHaveLength(1);
    const outcomes = cluster.instances.flatMap((_, index) =>
      cluster.events(index).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : [])),
    );
    expect(outcomes).toEqual(['aborted', 'succeeded']);
    tasks.assertSound();
  },
);
