import { afterEach, describe, expect, it } from 'vitest';
import { LeaseLostError, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestRun,
} from '../../libs/elastic-job/src/testing/index.js';
import { expectGrowingTokens, expectOncePerTarget, itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const LATENCY_MS = 100;

/** STILL is the instance that stands still and owns item 0. OTHER leads and owns item 1. */
const STILL = 1;
const OTHER = 0;

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('a process that stands still for less than its session', () => {
  it('lets its items end as if nothing had happened', async () => {
    const heard: unknown[] = [];
    await startCluster(async (context, { clock }) => {
      await clock.sleep(2_000);
      heard.push(context.signal.aborted);
      context.assertHeld();
    });
    await untilMinute(1_000);
    heard.length = 0;

    cluster.pause(STILL);
    await cluster.advance(6_000);
    expect(ended()).toEqual([1]);
    await cluster.resume(STILL);
    await cluster.advance(2_000);

    expect(ended()).toEqual([0, 1]);
    expect(heard).toEqual([false, false]);
    expect(statesOf(STILL)).toEqual(['CONNECTED']);
    await untilMinute(5_000);
    expect(lastFired()).toHaveLength(2);
    expect(lastFired()).toContainEqual(expect.objectContaining({ item: 0, instance: STILL, source: 'NORMAL_TRIGGER' }));
  });

  it('runs its items for a fire time that came meanwhile', async () => {
    await startCluster();
    await untilMinute(-3_000);

    cluster.pause(STILL);
    await cluster.advance(6_000);
    expect(lastFired().map(({ item }) => item)).toEqual([1]);
    await cluster.resume(STILL);
    await cluster.advance(1_000);

    expect(lastFired()).toMatchObject([
      { item: 1, instance: OTHER },
      { item: 0, instance: STILL },
    ]);
    expect(statesOf(STILL)).toEqual(['CONNECTED']);
  });

  it('runs what the registry answered to a begin that was on its way', async () => {
    await startCluster();
    await untilMinute(LATENCY_MS + 10);

    cluster.pause(STILL);
    await cluster.advance(5_000);
    expect(itemsOf(lastFired())).toEqual([1]);
    await cluster.resume(STILL);

    expect(itemsOf(lastFired())).toEqual([0, 1]);
    await cluster.advance(20_000);
    expectOncePerTarget(cluster.runs(JOB));
    expect(statesOf(STILL)).toEqual(['CONNECTED']);
  });
});

describe('a process that stands still for longer than its session', () => {
  it('tells a handler that it lost its item before anything else happens', async () => {
    const seen: unknown[] = [];
    await startCluster(async (context, { index, clock }) => {
      if (index !== STILL || context.source !== 'NORMAL_TRIGGER') return;
      context.signal.addEventListener('abort', () => seen.push('signal'));
      await clock.sleep(2_000);
      seen.push(outcomeOf(() => context.assertHeld()));
    });
    await untilMinute(1_000);
    seen.length = 0;

    cluster.pause(STILL);
    await cluster.advance(30_000);
    expect(seen).toEqual([]);
    const resumed = cluster.resume(STILL);
    expect(seen).toEqual(['signal']);
    await resumed;

    expect(seen).toEqual(['signal', 'LEASE_LOST']);
    expect(statesOf(STILL)).toEqual(['CONNECTED', 'SUSPENDED', 'LOST']);
  });

  it('has its item run by another instance, once, and a late write is refused as stale', async () => {
    const store = new FencedStore();
    await startCluster(async (context, { clock }) => {
      await clock.sleep(2_000);
      store.write(context, context.source);
    });
    await untilMinute(1_000);

    cluster.pause(STILL);
    await cluster.advance(30_000);
    expect(store.written.get(0)).toBe('FAILOVER');
    await cluster.resume(STILL);
    await cluster.advance(10_000);

    const runs = lastFired().filter(({ item }) => item === 0);
    expect(runs).toMatchObject([
      { instance: STILL, source: 'NORMAL_TRIGGER' },
      { instance: OTHER, source: 'FAILOVER' },
    ]);
    expectGrowingTokens(runs);
    expect(store.refused).toBe(1);
    expect(store.written.get(0)).toBe('FAILOVER');
  });

  it('runs no fire time that came meanwhile, and takes part again under a new id', async () => {
    await startCluster();
    await untilMinute(-5_000);

    cluster.pause(STILL);
    await cluster.advance(3 * MINUTE);
    await cluster.resume(STILL);
    await cluster.advance(5_000);

    expectOncePerTarget(cluster.runs(JOB));
    expect(itemsOf(lastFired())).toEqual(range(2));
    expect(lastFired().every(({ instance }) => instance === OTHER)).toBe(true);
    expect(cluster.instances[STILL]!.instanceIds.size).toBe(2);
    await untilMinute(5_000);
    expect(new Set(lastFired().map(({ instance }) => instance))).toEqual(new Set([0, 1]));
  });

  it('does not act on the answer to a begin that was on its way', async () => {
    await startCluster();
    await untilMinute(LATENCY_MS + 10);

    cluster.pause(STILL);
    await cluster.advance(30_000);
    await cluster.resume(STILL);
    await cluster.advance(5_000);

    expect(
      lastFired()
        .filter(({ item }) => item === 0)
        .map(({ instance, source }) => [instance, source]),
    ).toEqual([[OTHER, 'FAILOVER']]);
  });

  it('has handed the lead to another instance', async () => {
    await startCluster();

    cluster.pause(OTHER);
    await cluster.advance(30_000);
    const before = cluster.events(OTHER).length;
    await cluster.resume(OTHER);
    await cluster.advance(5_000);

    expect(cluster.events(STILL)).toContainEqual(expect.objectContaining({ kind: 'leader-elected', term: 2 }));
    const after = cluster.events(OTHER).slice(before);
    expect(after.filter(({ kind }) => kind === 'leader-elected' || kind === 'resharded')).toEqual([]);
  });

  it('takes part again if the network broke meanwhile and both are back', async () => {
    await startCluster();

    cluster.pause(STILL);
    await cluster.advance(2_000);
    cluster.partition(STILL);
    await cluster.advance(30_000);
    expect(statesOf(STILL)).toEqual(['CONNECTED']);
    await cluster.resume(STILL);
    expect(statesOf(STILL)).toEqual(['CONNECTED', 'SUSPENDED', 'LOST']);
    await cluster.heal(STILL);
    await cluster.advance(5_000);

    expect(statesOf(STILL).at(-1)).toBe('RECONNECTED');
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
  });

  it('does nothing more if it dies without going on', async () => {
    await startCluster((_, { clock }) => clock.sleep(2_000));
    await untilMinute(1_000);

    cluster.pause(STILL);
    await cluster.advance(5_000);
    cluster.crash(STILL);
    await cluster.advance(30_000);

    expect(lastFired().find(({ instance }) => instance === STILL)).toMatchObject({ endedAt: undefined });
    expect(statesOf(STILL)).toEqual(['CONNECTED']);
    await expect(cluster.resume(STILL)).rejects.toThrow('Instance 1 has crashed');
  });
});

/** Two instances of one item each, which have run once before. */
async function startCluster(handler: TestJobHandler = () => {}): Promise<void> {
  cluster = await createTestCluster({
    instances: 2,
    latencyMs: LATENCY_MS,
    jobs: [
      { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, strategy: 'AVG_ALLOCATION', failover: true, handler },
    ],
  });
  expect(cluster.assignment(JOB)).toEqual(
    new Map([
      [0, STILL],
      [1, OTHER],
    ]),
  );
  await untilMinute(10_000);
}

/** Moves to `offset` milliseconds from the next full minute. */
function untilMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}

/** The runs of the last fire time. */
function lastFired(): readonly TestRun[] {
  const runs = cluster.runs(JOB);
  const latest = Math.max(...runs.map(({ fireTime }) => fireTime));
  return runs.filter(({ fireTime }) => fireTime === latest);
}

/** The items whose latest run has ended. */
function ended(): number[] {
  return itemsOf(lastFired().filter(({ endedAt }) => endedAt));
}

function statesOf(instance: number): string[] {
  return cluster.events(instance).flatMap((event) => (event.kind === 'session' ? [event.state] : []));
}

function outcomeOf(work: () => void): string {
  try {
    work();
    return 'held';
  } catch (error) {
    return error instanceof LeaseLostError ? error.code : String(error);
  }
}

/** A store that refuses a smaller token than the newest that it has seen. */
class FencedStore {
  readonly written = new Map<number, string>();
  refused = 0;
  private readonly newest = new Map<number, bigint>();

  write({ shardingItem: item, token = 0n }: ShardingContext, value: string): void {
    if (token < (this.newest.get(item) ?? 0n)) {
      this.refused += 1;
      return;
    }
    this.newest.set(item, token);
    this.written.set(item, value);
  }
}
