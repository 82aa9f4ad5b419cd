import { EventEmitter, once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock, type Timer, waitFor } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { watchedPaths } from '@test/support/zookeeper/watched-paths.js';

const zooKeeper = await sharedZooKeeper();

/** With CREATED_JOBS=1000, as in CI, this shows the promised number. */
const COUNT = Number(process.env['CREATED_JOBS'] ?? 100);
/** For conditions that no event tells. */
const SOON = { timeout: 60_000, interval: 200 };
/** Those of an instance for each job, from its creation to its removal: some 11, and a few more on a slow machine. */
const MOST_REQUESTS = 20;

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
  it('are joined and left by three instances each, and leave nothing', { timeout: 300_000 }, async () => {
    const namespace = `templates-${clock.uuid()}`;
    const instances = await Promise.all([1, 2, 3].map(() => startProcess(namespace)));
    const operator = await connect(namespace);
    const jobs = new JobOperateApi(operator, clock);
    const before = await heldAtRest();
    const requestsBefore = requestsOf(instances);
    const names = Array.from({ length: COUNT }, (_, index) => `tenant-${index}`);
    const begun = clock.monotonicNow();

    const joined = Promise.all(instances.map(({ runtime }) => all('joined', runtime)));
    await Promise.all(
      names.map((name) => jobs.create({ name, template: 'report', cron: '0 0 3 * * ?', shardingTotalCount: 3 })),
    );
    await joined;
    const left = Promise.all(instances.map(({ runtime }) => all('left', runtime)));
    const empty = untilEmpty(operator);
    await Promise.all(names.map((name) => jobs.remove(name)));
    await Promise.all([left, empty]);
    const tookMs = clock.monotonicNow() - begun;
    const requests = (requestsOf(instances) - requestsBefore) / (COUNT * instances.length);

    console.info(`${COUNT} jobs: ${(tookMs / 1_000).toFixed(1)} s, ${requests.toFixed(1)} requests of each instance`);
    await expect.poll(() => instances.map(({ runtime }) => runtime.registrar.all.length), SOON).toEqual([0, 0, 0]);
    await expect.poll(() => watchedPaths(zooKeeper, namespace), SOON).toEqual([`/${namespace}`]);
    expect(await heldSince(before)).toEqual([]);
    expect(requests).toBeLessThan(MOST_REQUESTS);
  });
});

describe('jobs that are created after a cut', () => {
  it('are joined by an instance that has other jobs, after each of two cuts', { timeout: 60_000 }, async () => {
    const namespace = `templates-${clock.uuid()}`;
    const network = await startProxy(zooKeeper);
    onTestFinished(() => network.stop());
    const { runtime, registry } = await startProcess(namespace, network.connect);
    const jobs = new JobOperateApi(await connect(namespace), clock);
    const create = async (name: string) => {
      const joined = once(kindsOf(runtime), 'joined');
      await jobs.create({ name, template: 'report', cron: '0 0 3 * * ?', shardingTotalCount: 1 });
      await joined;
    };

    await create('before');
    for (const cut of ['first', 'second']) {
      const back = waitFor((goOn) => registry.onSession(({ state }) => void (state === 'RECONNECTED' && goOn())));
      network.cut();
      await back;
      // The look after a reconnect may find the one, and only the watch finds the other.
      await create(`${cut}-cut-1`);
      await create(`${cut}-cut-2`);
    }

    expect(runtime.registrar.all.map(({ jobName }) => jobName)).toEqual([
      'before',
      'first-cut-1',
      'first-cut-2',
      'second-cut-1',
      'second-cut-2',
    ]);
  });
});

interface Instance {
  readonly runtime: ElasticJobRuntime;
  readonly registry: RegistryCenter;
}

async function startProcess(namespace: string, servers = zooKeeper): Promise<Instance> {
  const registry = new ZooKeeperRegistryCenter({ servers, namespace }, clock);
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
  return { runtime, registry };
}

async function connect(namespace: string): Promise<RegistryCenter> {
  const registry = new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace }, clock);
  onTestFinished(() => registry.close());
  await registry.connect();
  return registry;
}

/** Requests of all instances so far, also those that keep watches and views alive. */
function requestsOf(instances: readonly Instance[]): number {
  return instances.reduce((sum, { registry: { traffic } }) => sum + traffic.foreground + traffic.background, 0);
}

/** The kinds of a process's events, as events. */
function kindsOf({ events }: ElasticJobRuntime): EventEmitter {
  const news = new EventEmitter();
  events.on(({ kind }) => void news.emit(kind));
  return news;
}

/** Resolves when the process has told the event for as many jobs as are created. */
async function all(kind: 'joined' | 'left', { events }: ElasticJobRuntime): Promise<void> {
  const told = new Set<string>();
  await waitFor((goOn) =>
    events.on((event) => {
      if (event.kind === kind && told.add(event.jobName).size === COUNT) goOn();
    }),
  );
}

/** Resolves when the namespace has no more node. It is still full at the call. */
async function untilEmpty(operator: RegistryCenter): Promise<void> {
  const news = new EventEmitter();
  const watch = await operator.watchChildren('/', () => void news.emit('change'));
  for (;;) {
    const changed = once(news, 'change');
    if ((await operator.children('/')).length === 0) break;
    await changed;
  }
  watch.close();
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
  const deadline = clock.monotonicNow() + SOON.timeout;
  for (;;) {
    await clock.sleep(SOON.interval);
    const more = [...held()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (more.length === 0 || clock.monotonicNow() > deadline) return more.map(([kind, count]) => `${count} ${kind}`);
  }
}
