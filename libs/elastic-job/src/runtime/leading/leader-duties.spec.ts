import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JobOptions } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { createTestCluster, type TestCluster, type TestJobHandler } from '../../testing/index.js';
import type { JobEvent } from '../../tracing/index.js';

const JOB = 'settle-orders';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let cluster: TestCluster;
let operator: RegistryCenter;
/** The handler of every item. */
let handler: TestJobHandler;
beforeEach(() => (handler = () => {}));
afterEach(() => cluster.stop());

it('tells of an election once, and whom nobody can depose is not elected again', async () => {
  await start(2);
  await operator.set(`/${JOB}/servers/10.0.0.1`, 'ENABLED');
  await cluster.advance(MINUTE);
  expect(told('leader-elected')).toMatchObject([{ instanceId: idOf(0), term: 1 }]);

  await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
  await cluster.advance(SECOND);
  expect(told('leader-elected')).toMatchObject([{ term: 1 }, { instanceId: idOf(1), term: 2 }]);
});

it('stands for election as soon as its server is enabled, if nobody leads', async () => {
  await start(1);
  await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
  await cluster.advance(SECOND);
  expect(await operator.exists(`/${JOB}/leader/election/instance`)).toBeUndefined();
  await operator.set(`/${JOB}/servers/10.0.0.1`, 'ENABLED');
  await cluster.advance(SECOND);
  expect((await operator.read(`/${JOB}/leader/election/instance`))?.data).toBe(idOf(0));
});

it('tells of orphans that it has queued, and of nothing else', async () => {
  handler = ({ source }) => source !== 'FAILOVER' && cluster.clock.sleep(30 * SECOND);
  await start(2);
  await cluster.advance(2 * SECOND);
  const lost = [...cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === 1 ? [item] : []));
  cluster.crash(1);
  await cluster.advance(MINUTE);
  expect(told('orphaned')).toMatchObject([{ items: lost }]);
});

it('takes what waits off the queue when the job is disabled everywhere, and tells so once', async () => {
  await start(1);
  await operator.create(`/${JOB}/sharding/2/disabled`, '', 'PERSISTENT');
  await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
  await cluster.advance(SECOND);
  expect(told('failover-purged')).toEqual([]);
  await operator.create(`/${JOB}/leader/failover/items/2`, '', 'PERSISTENT');
  await operator.set(`/${JOB}/servers/10.0.0.1`, 'ENABLED');
  await operator.set(`/${JOB}/servers/10.0.0.1`, 'DISABLED');
  await cluster.advance(SECOND);
  expect(await operator.exists(`/${JOB}/leader/failover/items/2`)).toBeUndefined();
  expect(told('failover-purged')).toMatchObject([{ items: [2] }]);
});

it('makes a plan five seconds after an owner was set by hand, and none for owners that a plan has set', async () => {
  await start(2);
  const owners = cluster.assignment(JOB);
  await operator.set(`/${JOB}/sharding/0/instance`, '10.0.0.99@-@1-0');
  await cluster.advance(4 * SECOND);
  expect(cluster.assignment(JOB).get(0)).toBe(-1);
  const plans = told('resharded').length;
  await cluster.advance(2 * SECOND);
  expect(cluster.assignment(JOB)).toEqual(owners);
  expect(told('resharded')).toHaveLength(plans + 1);
  await cluster.advance(MINUTE);
  expect(told('resharded')).toHaveLength(plans + 1);
});

it('tells with each plan which items have moved, and why', async () => {
  await start(1);
  await cluster.join();
  await cluster.advance(SECOND);
  await operator.set(`/${JOB}/servers/10.0.0.2`, 'DISABLED');
  await cluster.advance(SECOND);
  await operator.set(`/${JOB}/servers/10.0.0.2`, 'ENABLED');
  await cluster.advance(SECOND);
  await cluster.leave(1);
  await cluster.advance(SECOND);
  await cluster.join();
  await cluster.advance(SECOND);
  cluster.crash(2);
  await cluster.advance(MINUTE);
  await operator.set(`/${JOB}/sharding/0/instance`, '10.0.0.99@-@1-0');
  await cluster.advance(MINUTE);
  await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await cluster.advance(SECOND);

  const [first, second, third] = [idOf(0), idOf(1), idOf(2)];
  const all = (from: string | undefined, to: string) => new Map([0, 1, 2, 3].map((item) => [item, { from, to }]));
  const half = (from: string, to: string) => new Map([2, 3].map((item) => [item, { from, to }]));
  expect(told('resharded')).toMatchObject([
    { cause: 'joined', moves: all(undefined, first) },
    { cause: 'joined', moves: half(first, second) },
    { cause: 'disabled', moves: half(second, first) },
    { cause: 'joined', moves: half(first, second) },
    { cause: 'left', moves: half(second, first) },
    { cause: 'joined', moves: half(first, third) },
    { cause: 'crashed', moves: half(third, first) },
    { cause: 'crashed', moves: new Map([[0, { from: '10.0.0.99@-@1-0', to: first }]]) },
    { cause: undefined, moves: new Map() },
  ]);
});

it('costs nothing while nothing changes: a fire time is three requests', async () => {
  await start(1);
  await cluster.advance(2 * MINUTE);
  const before = cluster.instances[0]!.center.traffic.foreground;
  await cluster.advance(3 * MINUTE);
  expect(cluster.instances[0]!.center.traffic.foreground - before).toBe(3 * 3);
});

async function start(instances: number, options: Partial<JobOptions> = {}): Promise<void> {
  cluster = await createTestCluster({
    instances,
    jobs: [
      {
        name: JOB,
        cron: '0 * * * * ?',
        shardingTotalCount: 4,
        failover: true,
        ...options,
        handler: (...run) => handler(...run),
      },
    ],
  });
  operator = cluster.registry.center({
    namespace: 'test',
    clock: cluster.clock,
    sessionTimeoutMs: 600_000,
    requestTimeoutMs: 5_000,
  });
  await operator.connect();
  await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) - SECOND);
}

function told(kind: JobEvent['kind']): readonly JobEvent[] {
  return [...cluster.instances.keys()].flatMap((instance) =>
    cluster.events(instance).filter((event) => event.kind === kind),
  );
}

function idOf(instance: number): string {
  return [...cluster.instances[instance]!.instanceIds].at(-1)!;
}
