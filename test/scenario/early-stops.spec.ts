import { afterEach, describe, expect, it } from 'vitest';
import { type JobOptions, resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { MemoryRegistry } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { createTestCluster, type TestCluster, VirtualClock } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';
const SETTINGS = { namespace: 'test', sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000, latencyMs: 20 };

let cluster: TestCluster | undefined;
afterEach(() => cluster?.stop());

describe('a stop at a bad moment', () => {
  it.each(range(30).map((step) => step * 10))(
    'leaves nothing behind if the start is stopped after %i ms',
    async (ms) => {
      const clock = new VirtualClock();
      const registry = new MemoryRegistry(clock);
      const runtime = new ElasticJobRuntime({ registry: registry.center({ ...SETTINGS, clock }), clock });
      await add(runtime, { cron: '0/1 * * * * ?' });
      const starting = runtime.start().catch(() => 'refused');
      await clock.advance(ms);

      const stopping = runtime.stop();
      await clock.advance(10_000);

      await Promise.all([starting, stopping]);
      expect(runtime.status().phase).toBe('stopped');
      expect(clock.pendingTimers).toBe(0);
      const operator = registry.center({ ...SETTINGS, clock, latencyMs: 0 });
      await operator.connect();
      expect(await traces(operator, JOB)).toEqual([]);
    },
  );

  it.each(range(25).map((step) => step * 10))(
    'leaves nothing behind if a job is removed %i ms after it was added',
    async (ms) => {
      cluster = await createTestCluster({ instances: 1, latencyMs: 20, jobs: [] });
      const { runtime } = cluster.instances[0]!;
      const { registrar } = runtime;
      const adding = add(runtime).catch(() => 'refused');
      await cluster.advance(ms);

      const removing = registrar.remove(JOB);
      await cluster.advance(5_000);
      await Promise.all([adding, removing]);

      expect(await traces(await operatorOf(cluster), JOB)).toEqual([]);
      expect(registrar.jobs).toEqual([]);
      await Promise.all([runtime.stop(), cluster.advance(5_000)]);
      expect(cluster.clock.pendingTimers).toBe(0);
    },
  );

  it('runs a job that is added during the start', async () => {
    cluster = await createTestCluster({ instances: 1, jobs: [] });
    const clock = cluster.clock.fork({ hostAddress: '10.0.9.9' });
    const runtime = new ElasticJobRuntime({ registry: cluster.registry.center({ ...SETTINGS, clock }), clock });
    await add(runtime, { name: 'early' });
    const starting = runtime.start();
    await cluster.advance(60);
    expect(runtime.status().phase).toBe('starting');
    const adding = add(runtime, { name: 'late' });
    await cluster.advance(2_000);
    await Promise.all([starting, adding]);

    expect(runtime.status().jobs).toMatchObject([{ isJoined: true }, { jobName: 'late', isJoined: true }]);
    const stopping = runtime.stop();
    await cluster.advance(1_000);
    await stopping;
  });

  it('does not wait for the session to end if the registry goes away during the start', async () => {
    const clock = new VirtualClock();
    const registry = new MemoryRegistry(clock);
    const center = registry.center({ ...SETTINGS, clock, sessionTimeoutMs: 600_000 });
    const runtime = new ElasticJobRuntime({ registry: center, clock });
    await add(runtime);
    const starting = runtime.start().catch((error: unknown) => error);
    await clock.advance(70);
    registry.suspend(center.session.id!);
    await clock.advance(10_000);

    const stopping = runtime.stop();
    await clock.advance(5_000);

    expect(runtime.status().phase).toBe('stopped');
    await Promise.all([starting, stopping]);
    expect(await starting).toBeInstanceOf(Error);
  });
});

/** Adds a job of two items, which fires every hour. */
function add({ registrar }: ElasticJobRuntime, options: Partial<JobOptions> = {}) {
  const job = { name: JOB, cron: '0 0 * * * ?', shardingTotalCount: 2, ...options };
  const configuration = resolveJobOptions(job, { place: 'spec' });
  return registrar.register({ configuration, className: JOB, place: 'spec', handler: () => {} });
}
