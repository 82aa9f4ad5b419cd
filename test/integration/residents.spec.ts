import { afterEach, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'follow-orders';
const TOTAL = 6;

const clock = new SystemClock();
const namespace = `residents-${clock.uuid()}`;
const runtimes: ElasticJobRuntime[] = [];
/** Item and process of each handler that runs now. */
const running = new Map<number, number>();
const doubles: number[] = [];
let changed = (): void => {};
afterEach(() => Promise.all(runtimes.map((runtime) => runtime.stop())));

it('runs each resident item on its owner and never twice, over a real ZooKeeper', LIMITS, async () => {
  await start();
  await until(() => running.size === TOTAL);

  await start();
  await until(() => running.size === TOTAL && new Set(running.values()).size === 2);

  await runtimes[0]!.stop();
  await until(() => running.size === TOTAL && [...running.values()].every((process) => process === 1));

  expect(doubles).toEqual([]);
});

async function start(): Promise<void> {
  const process = runtimes.length;
  const options = { servers: zooKeeper, namespace, sessionTimeoutMs: 6_000 };
  const runtime = new ElasticJobRuntime({ registry: new ZooKeeperRegistryCenter(options, clock), clock });
  runtimes.push(runtime);
  await runtime.registrar.register({
    configuration: resolveJobOptions({ name: JOB, shardingTotalCount: TOTAL, resident: true }, { place: 'spec' }),
    className: JOB,
    place: 'spec',
    handler: (context) => follow(process, context),
  });
  await runtime.start();
}

async function follow(process: number, { shardingItem, signal }: ShardingContext): Promise<void> {
  if (running.has(shardingItem)) doubles.push(shardingItem);
  running.set(shardingItem, process);
  changed();
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  running.delete(shardingItem);
  changed();
}

/** Checks now, and again whenever a handler begins or ends. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => (changed = resolve));
}
