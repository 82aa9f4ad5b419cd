import { afterEach, describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster, type TestRun } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const HOUR = 3_600_000;
const SESSION_TIMEOUT_MS = 10_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('the items of an instance that has died', () => {
  it('run once each, spread over 3 idle survivors of 2 slots, never more than 2 at a time', async () => {
    await startCluster({ instances: 1, total: 100, concurrency: 2, handler: onlyRescuesEnd(1_000) });
    await untilNextHour(1_000);
    for (const _ of range(3)) await cluster.join();

    cluster.crash(0);
    await cluster.advance(SESSION_TIMEOUT_MS + 30_000);

    expect(itemsOf(rescues())).toEqual(range(100));
    expect(rescues().every(({ endedAt }) => endedAt !== undefined)).toBe(true);
    for (const survivor of [1, 2, 3]) {
      const own = rescues().filter(({ instance }) => instance === survivor);
      expect(own.length).toBeGreaterThanOrEqual(25);
      expect(mostAtATime(own)).toBe(2);
    }
    expect(await operator.children(`/${JOB}/leader/failover/items`)).toEqual([]);
  });

  it('are all taken by the one idle survivor if they are few', async () => {
    const idleOwns = new Set<number>();
    const handler = ({ source, shardingItem }: ShardingContext) =>
      source === 'FAILOVER' || idleOwns.has(shardingItem) ? undefined : forever();
    await startCluster({ instances: 3, total: 9, handler });
    for (const [item, owner] of cluster.assignment(JOB)) if (owner === 2) idleOwns.add(item);
    await untilNextHour(1_000);

    cluster.crash(0);
    await cluster.advance(SESSION_TIMEOUT_MS + 2_000);

    expect(rescues().map(({ instance }) => instance)).toEqual([2, 2, 2]);
  });

  it('run within 200 ms although all survivors are busy', async () => {
    await startCluster({ instances: 3, total: 30, handler: onlyRescuesEnd(1_000) });
    await untilNextHour(1_000);

    cluster.crash(0);
    const id = [...cluster.instances[0]!.instanceIds][0]!;
    while ((await operator.exists(`/${JOB}/instances/${id}`)) !== undefined) await cluster.advance(5);
    const goneAt = cluster.clock.wallNow();
    await cluster.advance(1_000);

    expect(rescues()).toHaveLength(10);
    for (const { startedAt } of rescues()) expect(startedAt - goneAt).toBeLessThanOrEqual(200);
  });

  it('do not wait for the plan if their instance dies while another plan is being gathered', async () => {
    await startCluster({ instances: 4, total: 12, handler: onlyRescuesEnd(1_000) });
    await untilNextHour(1_000);

    vanish(1);
    await cluster.advance(30); // The leader waits 100 ms for further changes.
    vanish(2);
    const goneAt = cluster.clock.wallNow();
    await cluster.advance(1_000);

    expect(rescues()).toHaveLength(6);
    // The survivors stand back for 40 of these milliseconds, since they are busy.
    for (const { startedAt } of rescues()) expect(startedAt - goneAt).toBeLessThanOrEqual(60);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 3]));
  });

  it('take 3 claims if they are 100 and the 3 survivors have many slots', async () => {
    await startCluster({ instances: 1, total: 100, handler: onlyRescuesEnd(1_000) });
    await untilNextHour(1_000);
    for (const _ of range(3)) await cluster.join();

    cluster.crash(0);
    await cluster.advance(SESSION_TIMEOUT_MS + 5_000);

    expect(itemsOf(rescues())).toEqual(range(100));
    const claims = [1, 2, 3].flatMap((survivor) => cluster.events(survivor).filter(({ kind }) => kind === 'claimed'));
    expect(claims).toHaveLength(3);
  });

  it('run to their end although two rescuers in a row die as well', async () => {
    let rescued = 0;
    await startCluster({
      instances: 4,
      total: 1,
      handler: ({ source }) => (source !== 'FAILOVER' || (rescued += 1) < 3 ? forever() : undefined),
    });
    await untilNextHour(1_000);

    for (const death of range(3)) {
      cluster.crash(cluster.runs(JOB)[death]!.instance);
      await cluster.advance(SESSION_TIMEOUT_MS + 1_000);
    }

    const [first, ...later] = cluster.runs(JOB);
    expect(later.map(({ source }) => source)).toEqual(['FAILOVER', 'FAILOVER', 'FAILOVER']);
    expect(later.every(({ fireTime }) => fireTime === first!.fireTime)).toBe(true);
    expect(new Set(cluster.runs(JOB).map(({ instance }) => instance)).size).toBe(4);
    expect(later[2]!.endedAt).toBeDefined();
    expect((await traces(operator, JOB)).filter((path) => path.includes('/sharding/'))).toEqual([]);
  });

  it('are all rescued by new instances after the whole cluster has died, one instance in a rescue', async () => {
    await startCluster({
      instances: 3,
      total: 9,
      handler: ({ fireTime }) => fireTime.getTime() === diesAt && forever(),
    });
    await untilNextHour(0);
    const diesAt = cluster.clock.wallNow();
    await cluster.advance(1_000);
    cluster.crash(0);
    await cluster.advance(SESSION_TIMEOUT_MS + 1_000);
    expect(rescues()).toHaveLength(3);
    cluster.crash(1);
    cluster.crash(2);
    await cluster.advance(10 * SESSION_TIMEOUT_MS);
    const before = cluster.runs(JOB).length;

    const first = await cluster.join();
    await cluster.join();
    await cluster.advance(5_000);

    const after = cluster.runs(JOB).slice(before);
    expect(itemsOf(after)).toEqual(range(9));
    expect(
      after.every(
        ({ source, fireTime, instance }) => source === 'FAILOVER' && fireTime === diesAt && instance >= first,
      ),
    ).toBe(true);
  });
});

describe('an instance that must not claim', () => {
  it('claims nothing while it is cut off', async () => {
    const lost = new Set<number>();
    const handler = ({ source, shardingItem }: ShardingContext) =>
      source === 'FAILOVER' ? cluster.clock.sleep(1_000) : lost.has(shardingItem) && forever();
    await startCluster({ instances: 3, total: 9, concurrency: 1, handler });
    for (const [item, owner] of cluster.assignment(JOB)) if (owner === 0) lost.add(item);
    await untilNextHour(1_000);
    cluster.crash(0);
    await cluster.advance(SESSION_TIMEOUT_MS - 1_000);

    cluster.partition(1);
    await cluster.advance(2_500);
    expect(rescues().map(({ instance }) => instance)).toEqual([2, 2]);
    await cluster.heal(1);
    await cluster.advance(5_000);

    expect(itemsOf(rescues())).toEqual([...lost]);
    expect(rescues().at(-1)!.instance).toBe(1);
  });

  it('claims nothing while its server is disabled, although it is idle', async () => {
    const idle = 1;
    const idleOwns = new Set<number>();
    const handler = ({ source, shardingItem }: ShardingContext) =>
      source === 'FAILOVER' || idleOwns.has(shardingItem) ? undefined : forever();
    await startCluster({ instances: 3, total: 3, concurrency: 1, handler });
    for (const [item, owner] of cluster.assignment(JOB)) if (owner === idle) idleOwns.add(item);
    await untilNextHour(1_000);
    await operator.set(`/${JOB}/servers/10.0.0.${idle + 1}`, 'DISABLED');
    await cluster.advance(1_000);

    cluster.crash(0);
    await cluster.advance(SESSION_TIMEOUT_MS + 5_000);
    expect(await operator.children(`/${JOB}/leader/failover/items`)).toHaveLength(1);
    expect(rescues()).toEqual([]);

    await operator.set(`/${JOB}/servers/10.0.0.${idle + 1}`, 'ENABLED');
    await cluster.advance(2_000);
    expect(rescues().map(({ instance }) => instance)).toEqual([idle]);
  });
});

interface Options {
  readonly instances: number;
  readonly total: number;
  readonly concurrency?: number;
  readonly handler: (context: ShardingContext) => unknown;
}

async function startCluster({ instances, total, concurrency, handler }: Options): Promise<void> {
  const job = { name: JOB, cron: '0 0 * * * ?', shardingTotalCount: total, failover: true, concurrency, handler };
  cluster = await createTestCluster({ instances, sessionTimeoutMs: SESSION_TIMEOUT_MS, jobs: [job] });
  operator = await operatorOf(cluster);
}

/** Kills the instance and ends its session at once. */
function vanish(index: number): void {
  const { id } = cluster.instances[index]!.center.session;
  cluster.crash(index);
  cluster.registry.expire(id!);
}

function untilNextHour(further: number): Promise<void> {
  return cluster.advance(HOUR - (cluster.clock.wallNow() % HOUR) + further);
}

function rescues(): TestRun[] {
  return cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
}

function mostAtATime(runs: readonly TestRun[]): number {
  const running = (at: number) => runs.filter((run) => run.startedAt <= at && at < run.endedAt!).length;
  return Math.max(...runs.map(({ startedAt }) => running(startedAt)));
}

/** A rescue takes that long; any other run never ends. */
function onlyRescuesEnd(ms: number): (context: ShardingContext) => unknown {
  return ({ source }) => (source === 'FAILOVER' ? cluster.clock.sleep(ms) : forever());
}

function forever(): Promise<never> {
  return new Promise(() => {});
}
