import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { fourLetter } from '../support/zookeeper/four-letter.js';

/** With CREATED_JOBS=1000, as CI runs it, what is promised is shown. */
const COUNT = Number(process.env['CREATED_JOBS'] ?? 100);
const WITHIN = { timeout: 60_000, interval: 200 };
const clock = new SystemClock();

describe('jobs that are created while the cluster runs, over a real ZooKeeper', () => {
  it(
    'given many at once, when they are created and removed, then three instances join and leave each, and nothing is left within two minutes',
    { timeout: 180_000 },
    async () => {
      const namespace = `templates-${clock.uuid()}`;
      const runtimes = await Promise.all([1, 2, 3].map(() => startProcess(namespace)));
      const operator = await connect(namespace);
      const jobs = new JobOperateApi(operator, clock);
      const names = Array.from({ length: COUNT }, (_, index) => `tenant-${index}`);
      const begun = clock.monotonicNow();

      await Promise.all(
        names.map((name) => jobs.create({ name, template: 'report', cron: '0 0 3 * * ?', shardingTotalCount: 3 })),
      );
      await expect.poll(() => runtimes.map(joinedIn), WITHIN).toEqual([COUNT, COUNT, COUNT]);
      await Promise.all(names.map((name) => jobs.remove(name)));
      await expect.poll(() => operator.children('/'), WITHIN).toEqual([]);
      await expect.poll(() => runtimes.map(({ registrar }) => registrar.all.length), WITHIN).toEqual([0, 0, 0]);

      expect(clock.monotonicNow() - begun).toBeLessThan(120_000);
      await expect.poll(() => watchedPaths(namespace), WITHIN).toEqual([`/${namespace}`]);
    },
  );
});

async function startProcess(namespace: string): Promise<ElasticJobRuntime> {
  const registry = new ZooKeeperRegistryCenter({ servers: inject('zooKeeper'), namespace }, clock);
  const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 2_000 });
  onTestFinished(() => runtime.stop());
  const place = 'templates.spec';
  runtime.templates.declare({
    name: 'report',
    configuration: resolveJobOptions({ name: 'report', shardingTotalCount: 1 }, { place }),
    place,
    handler: () => {},
  });
  await runtime.start();
  return runtime;
}

async function connect(namespace: string): Promise<RegistryCenter> {
  const registry = new ZooKeeperRegistryCenter({ servers: inject('zooKeeper'), namespace }, clock);
  onTestFinished(() => registry.close());
  await registry.connect();
  return registry;
}

/** The jobs that the process takes part in. */
function joinedIn(runtime: ElasticJobRuntime): number {
  return runtime.status().jobs.filter(({ isJoined }) => isJoined).length;
}

/** What the server watches for its clients at and below the namespace. */
async function watchedPaths(namespace: string): Promise<readonly string[]> {
  const port = Number(inject('zooKeeper').split(':').at(-1));
  const text = await fourLetter(port, 'wchp', 10_000);
  return text.split('\n').filter((line) => line.startsWith(`/${namespace}`));
}
