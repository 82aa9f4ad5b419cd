import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { type JobHandler, LeaseLostError, resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import {
  MemoryRegistry,
  type RegistryCenter,
  ZooKeeperRegistryCenter,
} from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { fireTimes } from '@test/support/fire-times.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'copy-rows';
const ITEM = `/${JOB}/sharding/0`;
const clock = new SystemClock();
const nextFireTime = fireTimes(clock);
const memory = new MemoryRegistry(clock);
const adapters: { readonly name: string; readonly center: (namespace: string) => RegistryCenter }[] = [
  {
    name: 'memory',
    center: (namespace) => memory.center({ namespace, clock, sessionTimeoutMs: 30_000, requestTimeoutMs: 10_000 }),
  },
  {
    name: 'zookeeper',
    center: (namespace) => new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace }, clock),
  },
];

const runtimes: ElasticJobRuntime[] = [];
afterEach(() => Promise.all(runtimes.splice(0).map((runtime) => runtime.stop())));

describe.each(adapters)('a checkpoint in the registry ($name)', LIMITS, ({ center }) => {
  it('is loaded by the process that runs the item next; each call is one request', async () => {
    const namespace = `checkpoint-${clock.uuid()}`;
    const costs: number[] = [];
    const first = await start(center(namespace), async ({ checkpoint }) => {
      costs.push(await requestsOf(first.registry, () => checkpoint.save({ after: 'order-17' })));
      costs.push(await requestsOf(first.registry, () => checkpoint.save({ after: 'order-18' })));
    });
    await first.tick();
    await first.runtime.stop();

    const loaded: unknown[] = [];
    const second = await start(center(namespace), async ({ checkpoint }) => {
      costs.push(await requestsOf(second.registry, async () => loaded.push(await checkpoint.load())));
      costs.push(await requestsOf(second.registry, () => checkpoint.clear()));
      loaded.push(await checkpoint.load());
    });
    await second.tick();

    expect(loaded).toEqual([{ after: 'order-18' }, undefined]);
    expect(costs).toEqual([1, 1, 1, 1]);
  });

  it("refuses a stale run's save and clear, and keeps that of the newer run", async () => {
    const refusals: unknown[] = [];
    const { registry, tick } = await start(center(`checkpoint-${clock.uuid()}`), async ({ checkpoint }) => {
      await checkpoint.save('mine');
      // As the begin of any later run does.
      await registry.set(`${ITEM}/record`, (await registry.read(`${ITEM}/record`))!.data);
      await registry.set(`${ITEM}/checkpoint`, '"theirs"');
      for (const stale of [checkpoint.save('stale'), checkpoint.clear()]) refusals.push(await stale.catch(identity));
    });
    await tick();

    expect(refusals).toEqual([expect.any(LeaseLostError), expect.any(LeaseLostError)]);
    expect(await registry.read(`${ITEM}/checkpoint`)).toMatchObject({ data: '"theirs"' });
  });
});

async function start(registry: RegistryCenter, handler: JobHandler) {
  const runtime = new ElasticJobRuntime({ registry, clock });
  runtimes.push(runtime);
  const options = { name: JOB, cron: '0 0 0 1 1 ? 2199', shardingTotalCount: 1, failover: true };
  const configuration = resolveJobOptions(options, { place: 'spec' });
  await runtime.registrar.register({ configuration, className: JOB, place: 'spec', handler });
  await runtime.start();
  return { runtime, registry, tick: () => runtime.registrar.of(JOB).currentSession!.tick(nextFireTime()) };
}

async function requestsOf({ traffic }: RegistryCenter, work: () => Promise<unknown>): Promise<number> {
  const before = traffic.foreground;
  await work();
  return traffic.foreground - before;
}

function identity(error: unknown): unknown {
  return error;
}
