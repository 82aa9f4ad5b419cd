import { isDeepStrictEqual } from 'node:util';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { SystemClock, type Timer } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { fourLetter } from '@test/support/zookeeper/four-letter.js';

/** With CREATED_JOBS=1000, as in CI, this shows the promised number. */
const COUNT = Number(process.env['CREATED_JOBS'] ?? 100);
const WITHIN = { timeout: 60_000, interval: 200 };

/**
 * The clock of all clients and runtimes here. It counts timers that are set, also those that do not keep the process
 * alive.
 */
class CountingClock extends SystemClock {
  readonly pending = new Set<object>();

  override setTimer(ms: number, callback: () => void): Timer {
    const token = {};
    this.pending.add(token);
    const timer = super.setTimer(ms, () => {
      this.pending.delete(token);
      callback();
    });
    const cancel = () => {
      this.pending.delete(token);
      timer.cancel();
    };
    return { cancel };
  }
}

const clock = new CountingClock();

describe('jobs that are created while the cluster runs, over a real ZooKeeper', () => {
  it(
    'are joined and left by three instances each, and leave nothing within a minute',
    { timeout: 180_000 },
    async () => {
      const namespace = `templates-${clock.uuid()}`;
      const runtimes = await Promise.all([1, 2, 3].map(() => startProcess(namespace)));
      const operator = await connect(namespace);
      const jobs = new JobOperateApi(operator, clock);
      const before = await heldAtRest();
      const names = Array.from({ length: COUNT }, (_, index) => `tenant-${index}`);
      const begun = clock.monotonicNow();

      await Promise.all(
        names.map((name) => jobs.create({ name, template: 'report', cron: '0 0 3 * * ?', shardingTotalCount: 3 })),
      );
      await expect.poll(() => runtimes.map(joinedIn), WITHIN).toEqual([COUNT, COUNT, COUNT]);
      await Promise.all(names.map((name) => jobs.remove(name)));
      await expect.poll(() => operator.children('/'), WITHIN).toEqual([]);
      await expect.poll(() => runtimes.map(({ registrar }) => registrar.all.length), WITHIN).toEqual([0, 0, 0]);

      expect(clock.monotonicNow() - begun).toBeLessThan(60_000);
      await expect.poll(() => watchedPaths(namespace), WITHIN).toEqual([`/${namespace}`]);
      expect(await heldSince(before)).toEqual([]);
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

/** Resources that keep this process alive, by kind, and the timers of the library. */
function held(): ReadonlyMap<string, number> {
  const counts = new Map([['timers of the library', clock.pending.size]]);
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Resolves once the library has come to rest after its start. */
async function heldAtRest(): Promise<ReadonlyMap<string, number>> {
  for (let former = held(); ;) {
    await clock.sleep(1_000);
    const now = held();
    if (isDeepStrictEqual(now, former)) return now;
    former = now;
  }
}

/**
 * The kinds of which there are more than before. A ping may be under way, so this repeats the look for a while. There
 * may be fewer, since earlier specs in this process may have left something.
 */
async function heldSince(before: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const deadline = clock.monotonicNow() + WITHIN.timeout;
  for (;;) {
    await clock.sleep(WITHIN.interval);
    const more = [...held()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (more.length === 0 || clock.monotonicNow() > deadline) return more.map(([kind, count]) => `${count} ${kind}`);
  }
}

/** The jobs that the process takes part in. */
function joinedIn(runtime: ElasticJobRuntime): number {
  return runtime.status().jobs.filter(({ isJoined }) => isJoined).length;
}

/** Watches that the server holds for its clients at and below the namespace. */
async function watchedPaths(namespace: string): Promise<readonly string[]> {
  const port = Number(inject('zooKeeper').split(':').at(-1));
  const text = await fourLetter(port, 'wchp', 10_000);
  return text.split('\n').filter((line) => line.startsWith(`/${namespace}`));
}
