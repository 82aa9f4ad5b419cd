import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  ConfigurationError,
  type JobHandler,
  type JobOptions,
  resolveJobOptions,
  type ShardingContext,
} from '../../libs/elastic-job/src/domain/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const PARENT = { name: 'import', cron: '0 0 0 1 1 ? 2199', shardingTotalCount: 6, failover: true };
const CHILD = { name: 'report', after: 'import', shardingTotalCount: 4, failover: true };
const clock = new SystemClock();

let namespace: string;
let operator: RegistryCenter;
let runtimes: ElasticJobRuntime[];
let contexts: ShardingContext[];
let handler: JobHandler;
/** Called when something has happened in one of the processes. */
let changed: () => void;
beforeEach(async () => {
  namespace = `after-${clock.uuid()}`;
  runtimes = [];
  contexts = [];
  handler = () => {};
  changed = () => {};
  operator = connection();
  await operator.connect();
});
afterEach(async () => {
  await Promise.all(runtimes.map((runtime) => runtime.stop()));
  await operator.close();
});

describe('a job after another one, in processes of their own, over a real ZooKeeper', LIMITS, () => {
  it('runs once for each of 20 fire times of a parent whose items end together', async () => {
    const parents = [await start(PARENT), await start(PARENT), await start(PARENT)];
    await start(CHILD);
    await start(CHILD);
    await until(() => spreadOver(parents, 3));
    await until(async () => (await childrenOf('/import/dependents')).length === 1);
    const [first, ...later] = Array.from({ length: 20 }, (_, index) => clock.wallNow() + index);

    for (const fireTime of [first!, ...later]) {
      await Promise.all(parents.map((runtime) => tick(runtime, fireTime)));
      await until(() => runsOf('report', fireTime).length === CHILD.shardingTotalCount);
    }

    for (const fireTime of [first!, ...later]) {
      expect(runsOf('import', fireTime)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(runsOf('report', fireTime)).toEqual([0, 1, 2, 3]);
    }
  });

  it('runs as soon as its first process comes if the parent has succeeded before', async () => {
    const parent = await start(PARENT);
    const child = await start(CHILD);
    await until(async () => (await childrenOf('/import/dependents')).length === 1);
    await child.stop();
    const fireTime = clock.wallNow();

    await tick(parent, fireTime);
    await until(() => runsOf('import', fireTime).length === PARENT.shardingTotalCount);
    expect(runsOf('report', fireTime)).toEqual([]);
    await start(CHILD);
    await until(() => runsOf('report', fireTime).length === CHILD.shardingTotalCount);

    expect(runsOf('report', fireTime)).toEqual([0, 1, 2, 3]);
  });

  it('refuses to start after a job that is shared with Java, and writes nothing', async () => {
    await start(PARENT);
    await operator.create('/import/instances/10.0.0.9@-@1', 'jobInstanceId: 10.0.0.9@-@1\n', 'EPHEMERAL');

    await expect(start(CHILD)).rejects.toThrow(ConfigurationError);
    await expect(start(CHILD)).rejects.toThrow(/after "import": it is shared with Java \(10\.0\.0\.9@-@1\)/);
    expect(await operator.exists('/report')).toBeUndefined();
  });
});

function connection(): RegistryCenter {
  return new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace, sessionTimeoutMs: 6_000 }, clock);
}

async function start(options: JobOptions & { readonly name: string }): Promise<ElasticJobRuntime> {
  const runtime = new ElasticJobRuntime({ registry: connection(), clock, drainTimeoutMs: 2_000 });
  runtime.events.on(() => changed());
  await runtime.registrar.register({
    configuration: resolveJobOptions(options, { place: 'after.spec' }),
    className: options.name,
    place: 'after.spec',
    handler: (context) => {
      contexts.push(context);
      return handler(context);
    },
  });
  await runtime.start();
  runtimes.push(runtime);
  return runtime;
}

function tick(runtime: ElasticJobRuntime, fireTime: number): Promise<boolean> {
  return runtime.registrar.of('import').currentSession!.tick(fireTime);
}

async function spreadOver([runtime]: readonly ElasticJobRuntime[], count: number): Promise<boolean> {
  return new Set((await runtime!.sharding.assignments('import')).values()).size === count;
}

async function childrenOf(path: string): Promise<readonly string[]> {
  return (await operator.exists(path)) === undefined ? [] : operator.children(path);
}

function runsOf(jobName: string, fireTime: number): readonly number[] {
  return contexts
    .filter((context) => context.jobName === jobName && context.fireTime.getTime() === fireTime)
    .map(({ shardingItem }) => shardingItem)
    .toSorted((a, b) => a - b);
}

/** Checks now, and again after every event in any process. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const change = new Promise<void>((resolve) => (changed = resolve));
    if (await isTrue()) return;
    await change;
  }
}
