import { afterEach, expect, it } from 'vitest';
import { TaskJobType } from '../../libs/elastic-job/src/cloud/index.js';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const WORK_MS = 3_000;

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
afterEach(() => cluster.stop());

async function start(failover: boolean): Promise<void> {
  cluster = await createTestCluster({ instances: 2, sessionTimeoutMs: 20_000, suspendedGraceMs: 500, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock });
  tasks.script(JOB, ({ clock, signal }) => clock.sleep(WORK_MS, signal));
  for (const { clock, runtime } of cluster.instances) {
    const backend = tasks.backend();
    await cluster.clock.advanceUntil(backend.start({ clock, cluster: 'c', emit: () => {} }));
    const settings = { template: {}, resources: { cpu: 1, memoryMb: 64 }, graceMs: 1_000 };
    const type = new TaskJobType({
      backend,
      cluster: 'c',
      clock,
      settingsOf: () => settings,
      recordsOf: () => Promise.resolve([]),
      emit: () => {},
    });
    const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1, failover };
    await cluster.clock.advanceUntil(runtime.registrar.add(job, type));
  }
  await cluster.advance(5_000);
}

it.each([true, false])(
  'given a registry that is silent for longer than suspendedGraceMs, when it answers again, then the task that went on is adopted (failover: %s)',
  async (failover) => {
    await start(failover);
    await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + 1_000);
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
