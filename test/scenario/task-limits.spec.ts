import { afterEach, describe, expect, it } from 'vitest';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { addJobOfTasks, fire, GRACE_MS, JOB, schedulingOn } from './support/task-schedulers.js';

const LIMIT_MS = 20_000;
const KEY = { cluster: 'c', jobName: JOB, item: 0 };

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
afterEach(() => cluster.stop());

async function start(instances: number): Promise<void> {
  cluster = await createTestCluster({ instances, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock });
  for (let index = 0; index < instances; index += 1) {
    const stage = { cluster, tasks };
    const options = { shardingTotalCount: 1, misfire: false, timeoutMs: LIMIT_MS };
    await addJobOfTasks(stage, index, await schedulingOn(stage, index), options);
  }
  await cluster.advance(5_000);
}

/** Outcomes of runs, in order, as told by any instance. */
function outcomes(): readonly object[] {
  return cluster.instances.flatMap((_, index) =>
    cluster.events(index).flatMap((event) => (event.kind === 'settled' ? [event.outcome] : [])),
  );
}

describe('the time limit of a task', () => {
  it('is its own: what it has waited for room does not count', async () => {
    await start(1);
    tasks.script(JOB, [
      { state: { name: 'QUEUED' }, ms: 1.5 * LIMIT_MS },
      { state: { name: 'RUNNING' }, ms: LIMIT_MS - 1_000 },
      { state: { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 1 } } },
    ]);

    await fire({ cluster });
    await cluster.advance(2.5 * LIMIT_MS + 1_000);

    expect(outcomes()).toEqual([{ kind: 'succeeded' }]);
  });

  it('ends it when it has run for so long, however long it has waited, and is told as such', async () => {
    await start(1);
    tasks.script(JOB, [
      { state: { name: 'QUEUED' }, ms: LIMIT_MS },
      { state: { name: 'RUNNING' }, ms: 10 * LIMIT_MS },
    ]);

    await fire({ cluster });
    await cluster.advance(2 * LIMIT_MS - 3_000);
    expect([tasks.isAlive(KEY), outcomes()]).toEqual([true, []]);
    await cluster.advance(GRACE_MS + 2_000);

    expect(tasks.isAlive(KEY)).toBe(false);
    expect(outcomes()).toMatchObject([{ kind: 'failed', error: { code: 'JOB_TIMEOUT', timeoutMs: LIMIT_MS } }]);
  });

  it('goes on from its start when another scheduler adopts it', async () => {
    await start(2);
    tasks.script(JOB, ({ clock, signal }) => clock.sleep(10 * LIMIT_MS, signal));

    await fire({ cluster });
    cluster.crash(cluster.assignment(JOB).get(0)!);
    await cluster.advance(LIMIT_MS - 2_000);
    expect(tasks.isAlive(KEY)).toBe(true);
    await cluster.advance(3_000);

    expect(tasks.launches).toHaveLength(1);
    expect(outcomes()).toMatchObject([{ kind: 'failed', error: { code: 'JOB_TIMEOUT' } }]);
  });
});
