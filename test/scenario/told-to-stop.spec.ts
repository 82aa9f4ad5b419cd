import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi, ShardingOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster, type TestRun } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const HOUR = 3_600_000;
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

const cancel = () => operating().cancel(JOB, 0);
const outliveLimit = () => cluster.advance(MINUTE);

describe.each([
  ['was cancelled', {}, cancel, { outcome: 'aborted', cause: 'cancelled' }],
  ['has outlived its time limit', { timeoutMs: 20_000 }, outliveLimit, { outcome: 'failed', cause: 'timed-out' }],
] as const)('a run that %s and heeds no signal', (_, options, stop, settled) => {
  it.each([
    ['its process dies', crash],
    ['its process leaves', leave],
    ['its session is lost', cutOff],
    ['an operator removes its instance', shutDown],
  ])('is not repeated when %s', async (_how, end) => {
    const holder = await runDeaf(options);
    await stop();
    await cluster.advance(1_000);

    await end(holder);
    await cluster.advance(MINUTE);

    expect(runs()).toHaveLength(1);
    expect(await operator.exists(`/${JOB}/sharding/0/running`)).toBeUndefined();
    expect(await record()).toMatchObject({ settled });
    expect(cutShort()).toMatchObject([{ items: [0], fireTime: runs()[0]!.fireTime, reason: settled.cause }]);
  });

  it('is told with the same reason if failover is off', async () => {
    const holder = await runDeaf({ ...options, failover: false });
    await stop();
    await cluster.advance(1_000);

    cluster.crash(holder);
    await cluster.advance(MINUTE);

    expect(cutShort()).toMatchObject([{ items: [0], reason: settled.cause }]);
  });

  it('is not repeated either if its job was disabled and enabled meanwhile', async () => {
    const holder = await runDeaf(options);
    await operating().disable(JOB);
    await stop();
    await operating().enable(JOB);
    await cluster.advance(1_000);

    cluster.crash(holder);
    await cluster.advance(MINUTE);

    expect(runs()).toHaveLength(1);
  });

  it('leaves its item free for the next fire time', async () => {
    const holder = await runDeaf(options);
    await stop();
    await cluster.advance(1_000);
    cluster.crash(holder);

    await cluster.advance(HOUR);

    expect(runs()).toMatchObject([{ source: 'NORMAL_TRIGGER' }, { source: 'NORMAL_TRIGGER' }]);
  });
});

it.each([
  ['dies', crash],
  ['is cut off', cutOff],
])('is not repeated if its process %s before it hears of the cancel', async (_, end) => {
  const holder = await runDeaf({});
  await end(holder);

  expect(await cancel()).toMatchObject({ kind: 'requested' });
  await cluster.advance(MINUTE);

  expect(runs()).toHaveLength(1);
  expect(await record()).toMatchObject({ settled: { outcome: 'aborted', cause: 'cancelled' } });
});

it('is not repeated if it is cancelled after its time limit, and let go', async () => {
  await runDeaf({ timeoutMs: 20_000, onHung: 'release' });
  await cluster.advance(22_000);
  await cancel();

  await cluster.advance(2 * MINUTE);

  expect(runs()).toHaveLength(1);
  expect(await operator.exists(`/${JOB}/sharding/0/running`)).toBeUndefined();
});

it('is passed on once after its time limit if it is let go', async () => {
  await runDeaf({ timeoutMs: 20_000, onHung: 'release' });

  await cluster.advance(2 * MINUTE);

  expect(runs()).toMatchObject([{}, { source: 'FAILOVER' }]);
});

it('is not repeated after a cancel once it was let go', async () => {
  await runDeaf({ onHung: 'release' });
  await cancel();

  await cluster.advance(2 * MINUTE);

  expect(runs()).toHaveLength(1);
  expect(await operator.exists(`/${JOB}/sharding/0/running`)).toBeUndefined();
});

it('is not repeated after a cancel if it was the rescue of another run', async () => {
  const first = await runDeaf({});
  cluster.crash(first);
  await cluster.advance(15_000);
  const rescuer = runs()[1]!;
  expect(rescuer).toMatchObject({ source: 'FAILOVER' });
  await cancel();
  await cluster.advance(1_000);

  cluster.crash(rescuer.instance);
  await cluster.advance(MINUTE);

  expect(runs()).toHaveLength(2);
});

it('is begun anew, and not failed over, if it was cancelled and its job is resident', async () => {
  cluster = await createTestCluster({
    instances: 3,
    jobs: [{ name: JOB, resident: true, shardingTotalCount: 1, failover: true, handler: deaf() }],
  });
  operator = await operatorOf(cluster);
  await cluster.advance(1_000);
  await cancel();
  await cluster.advance(1_000);

  cluster.crash(runs()[0]!.instance);
  await cluster.advance(15_000);

  expect(runs().map(({ source }) => source)).toEqual(['NORMAL_TRIGGER', 'NORMAL_TRIGGER']);
  expect(runs()[1]!.fireTime).toBeGreaterThan(runs()[0]!.fireTime);
});

it('costs no request of its own if the handler heeds its signal at once', async () => {
  const handler = ({ signal }: ShardingContext) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await start({ timeoutMs: 20_000 }, handler);
  await cluster.advance(MINUTE);

  const { stat } = (await operator.read(`/${JOB}/sharding/0/record`))!;
  expect(await record()).toMatchObject({ settled: { outcome: 'failed' } });
  expect(await record()).not.toHaveProperty('stopped');
  expect(stat.version).toBe(2); // begin, settle
});

describe('a disabled item', () => {
  it('is not failed over before it is enabled', async () => {
    const holder = await runDeaf({});
    await new ShardingOperateApi(operator).disable(JOB, 0);

    cluster.crash(holder);
    await cluster.advance(MINUTE);
    expect(runs()).toHaveLength(1);
    await new ShardingOperateApi(operator).enable(JOB, 0);
    await cluster.advance(1_000);

    expect(runs()).toMatchObject([{}, { source: 'FAILOVER', fireTime: runs()[0]!.fireTime }]);
  });

  it('holds up no other item that waits for failover', async () => {
    await start({ shardingTotalCount: 2, concurrency: 2 }, () => cluster.clock.sleep(HOUR - MINUTE));
    await new ShardingOperateApi(operator).disable(JOB, 0);
    const holders = new Set(runs().map(({ instance }) => instance));

    for (const instance of holders) cluster.crash(instance);
    await cluster.advance(MINUTE);

    expect(runs().filter(({ source }) => source === 'FAILOVER')).toMatchObject([{ item: 1 }]);
  });
});

/** A handler that ends neither by itself nor by its signal. */
function deaf(): () => Promise<void> {
  return () => new Promise(() => {});
}

async function start(options: Partial<JobOptions>, handler: (context: ShardingContext) => unknown): Promise<void> {
  const job = { name: JOB, cron: '0 0 * * * ?', shardingTotalCount: 1, failover: true, handler, ...options };
  cluster = await createTestCluster({ instances: 3, jobs: [job], hungGraceMs: 5_000, drainTimeoutMs: 3_000 });
  operator = await operatorOf(cluster);
  await cluster.advance(HOUR - (cluster.clock.wallNow() % HOUR) + 1_000);
}

/** @returns the instance that runs the item */
async function runDeaf(options: Partial<JobOptions>): Promise<number> {
  await start(options, deaf());
  return runs()[0]!.instance;
}

function operating(): JobOperateApi {
  return new JobOperateApi(operator, cluster.clock);
}

function crash(instance: number): Promise<unknown> {
  return Promise.resolve(cluster.crash(instance));
}

function leave(instance: number): Promise<unknown> {
  return cluster.leave(instance);
}

function cutOff(instance: number): Promise<unknown> {
  return Promise.resolve(cluster.partition(instance));
}

function shutDown(instance: number): Promise<unknown> {
  return operating().shutdown(JOB, { serverIp: `10.0.0.${instance + 1}` });
}

function runs(): readonly TestRun[] {
  return cluster.runs(JOB);
}

function cutShort(): readonly JobEvent[] {
  return cluster.instances.flatMap((_, index) => cluster.events(index)).filter(({ kind }) => kind === 'cut-short');
}

async function record(): Promise<unknown> {
  return JSON.parse((await operator.read(`/${JOB}/sharding/0/record`))!.data);
}
