import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { JobPaths } from '../../libs/elastic-job/src/coordination/index.js';
import { formatRerun, resolveJobOptions, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { creation, type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { startProxy, type ZooKeeperProxy } from '@test/support/zookeeper/zookeeper-proxy.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'settle-orders';
const ITEMS = [...Array(10).keys()];
const FIRE_TIMES = Array.from({ length: 100 }, (_, n) => 1_790_000_000_000 + n * 60_000);
const TARGETS = ITEMS.length * FIRE_TIMES.length;
const paths = new JobPaths(JOB);
const clock = new SystemClock();

/** An instance that can die for the others: its connection breaks, and nothing that its handlers do counts any more. */
interface Victim {
  readonly network: ZooKeeperProxy;
  readonly runtime: ElasticJobRuntime;
  isDead: boolean;
}

let namespace: string;
let operator: RegistryCenter;
let instances: Victim[];
/** Ends of handlers of instances that live, as `item fireTime`. */
let ended: string[];
let onEnded: (() => void) | undefined;
beforeEach(async () => {
  namespace = `reruns-${clock.uuid()}`;
  instances = [];
  ended = [];
  onEnded = undefined;
  operator = connection(zooKeeper);
  await operator.connect();
});
afterEach(async () => {
  await Promise.all(instances.map(({ runtime }) => runtime.stop()));
  await Promise.all(instances.map(({ network }) => network.stop()));
  await operator.close();
});

describe('100 past fire times of 10 items over a real ZooKeeper', { timeout: 120_000 }, () => {
  it.each([true, false])('each end once although an instance of three dies (failover: %s)', async (failover) => {
    for (let n = 0; n < 3; n += 1) instances.push(await start(failover));
    const fireTimes = FIRE_TIMES;
    const rerun = formatRerun({ at: clock.wallNow(), items: ITEMS, fireTimes });
    await operator.transaction([creation(paths.reruns), creation(paths.rerun('r'), rerun)]);

    await until(() => ended.length > TARGETS / 4);
    instances[0]!.isDead = true;
    instances[0]!.network.block();
    await until(() => new Set(ended).size === TARGETS);
    while ((await operator.exists(paths.rerun('r'))) !== undefined) await clock.sleep(100);

    // The end of a handler that the death of its instance has kept from the registry is one more.
    expect(new Set(ended).size).toBe(TARGETS);
    const twice = ended.filter((target, n) => ended.indexOf(target) !== n);
    expect(twice.length).toBeLessThanOrEqual(ITEMS.length);
    for (const item of ITEMS) {
      const times = ended.flatMap((target) => (target.startsWith(`${item} `) ? Number(target.split(' ')[1]) : []));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  });
});

function connection(servers: string): ZooKeeperRegistryCenter {
  return new ZooKeeperRegistryCenter({ servers, namespace, sessionTimeoutMs: 4_000 }, clock);
}

async function start(failover: boolean): Promise<Victim> {
  const network = await startProxy(zooKeeper);
  const runtime = new ElasticJobRuntime({ registry: connection(network.connect), clock, drainTimeoutMs: 1_000 });
  const victim: Victim = { network, runtime, isDead: false };
  const options = { name: JOB, cron: '0 0 0 1 1 ? 2199', shardingTotalCount: ITEMS.length, failover };
  await victim.runtime.registrar.register({
    configuration: resolveJobOptions(options, { place: 'reruns.spec' }),
    className: JOB,
    place: 'reruns.spec',
    handler: (context: ShardingContext) => run(victim, context),
  });
  await victim.runtime.start();
  return victim;
}

async function run(victim: Victim, { fireTime, shardingItem }: ShardingContext): Promise<void> {
  await clock.sleep(5);
  if (victim.isDead) return;
  ended.push(`${shardingItem} ${fireTime.getTime()}`);
  onEnded?.();
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => (onEnded = resolve));
}
