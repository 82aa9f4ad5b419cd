import { afterEach, describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, type TestCluster, type TestRun } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const LATENCY_MS = 100;

let cluster: TestCluster;
let setUpRuns = 0;
afterEach(() => cluster.stop());

describe('a fire time that comes while the registry is away', () => {
  it('is caught up on once after a short interruption', async () => {
    await startCluster();
    await untilMinute(-2_000);

    cluster.partition(0);
    await cluster.advance(4_000);
    expect(fired()).toEqual([]);
    await cluster.heal(0);
    await cluster.advance(5_000);

    expect(fired()).toMatchObject(range(2).map((item) => ({ item, source: 'MISFIRE' })));
    expect(cluster.instances[0]!.instanceIds.size).toBe(1);
  });

  it('is caught up on once by an instance that is back under a new id', async () => {
    await startCluster();
    await untilMinute(-2_000);

    cluster.partition(0);
    await cluster.advance(15_000);
    await cluster.heal(0);
    await cluster.advance(5_000);

    expect(fired()).toMatchObject(range(2).map((item) => ({ item, source: 'MISFIRE' })));
    expect(cluster.instances[0]!.instanceIds.size).toBe(2);
  });

  it('is left out if the job does not catch up on misfires', async () => {
    await startCluster({ misfire: false });
    await untilMinute(-2_000);

    cluster.partition(0);
    await cluster.advance(4_000);
    await cluster.heal(0);
    await cluster.advance(5_000);

    expect(fired()).toEqual([]);
    await untilMinute(1_000);
    expect(itemsOf(fired())).toEqual(range(2));
  });

  it('is caught up on as the latest one if several were missed', async () => {
    await startCluster({ sessionTimeoutMs: 600_000 });
    await untilMinute(-2_000);

    cluster.partition(0);
    await cluster.advance(5 * MINUTE);
    await cluster.heal(0);
    await cluster.advance(5_000);

    expect(fired()).toHaveLength(2);
    expect(fired().every(({ startedAt, fireTime }) => startedAt - fireTime < MINUTE)).toBe(true);
  });
});

describe('an answer of the registry that is lost', () => {
  it('runs items once if the answer to a committed begin is lost', async () => {
    await startCluster();
    await untilMinute(LATENCY_MS + 10); // The begin is on its way.

    cluster.registry.loseNextReply(cluster.instances[0]!.center.session.id!);
    await cluster.advance(10_000);

    expect(fired()).toMatchObject(range(2).map((item) => ({ item, source: 'NORMAL_TRIGGER' })));
    expect(fired().every(({ endedAt }) => endedAt)).toBe(true);
    expect(outcomes().slice(-2)).toEqual(['succeeded', 'succeeded']);
  });

  it('settles items once, and does not repeat them, if the answer to a committed settle is lost', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(1_000) });
    await untilMinute(2 * LATENCY_MS + 1_010); // The settle is on its way.

    cluster.registry.loseNextReply(cluster.instances[0]!.center.session.id!);
    await cluster.advance(10_000);

    expect(itemsOf(fired())).toEqual(range(2));
    expect(outcomes().slice(-2)).toEqual(['succeeded', 'succeeded']);
  });

  it('settles items that end while the registry is away, once it is back in the session', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(1_000) });
    await untilMinute(500);

    cluster.partition(0);
    await cluster.advance(4_000);
    await cluster.heal(0);
    await cluster.advance(5_000);

    expect(itemsOf(fired())).toEqual(range(2));
    expect(outcomes().slice(-2)).toEqual(['succeeded', 'succeeded']);
  });

  it('starts an item that waits for a slot only when the registry answers again', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(300), concurrency: 1 });
    await untilMinute(2 * LATENCY_MS + 200);

    cluster.partition(0);
    await cluster.advance(4_000);
    expect(fired()).toHaveLength(1);
    await cluster.heal(0);
    await cluster.advance(5_000);

    expect(itemsOf(fired())).toEqual(range(2));
    expect(outcomes().slice(-2)).toEqual(['succeeded', 'succeeded']);
  });

  it('starts the siblings of a running item even if the connection breaks while that item is noted', async () => {
    const handler = ({ shardingItem }: ShardingContext) => shardingItem === 0 && cluster.clock.sleep(90_000);
    await startCluster({ handler });
    await untilMinute(2 * LATENCY_MS + 10); // The misfire flag of item 0 is on its way.
    expect(itemsOf(fired())).toEqual([1]);

    cluster.partition(0);
    await cluster.advance(3_000);
    await cluster.heal(0);
    await cluster.advance(45_000);
    expect(itemsOf(fired())).toEqual([0, 1]);
    expect(fired().find(({ item }) => item === 0)).toMatchObject({ source: 'MISFIRE' });
  });
});

describe('a handler that does not heed its signal', () => {
  it('keeps its item waiting after the session is lost, and runs it as soon as the handler ends', async () => {
    const handler = ({ shardingItem }: ShardingContext) => shardingItem === 0 && cluster.clock.sleep(40_000);
    await startCluster({ handler, failover: true });
    await untilMinute(1_000);

    cluster.registry.expire(cluster.instances[0]!.center.session.id!);
    await cluster.advance(35_000);
    expect(itemsOf(fired())).toEqual([0, 1]);
    await cluster.advance(10_000);

    const [first, again] = fired().filter(({ item }) => item === 0);
    expect(again).toMatchObject({ source: 'FAILOVER' });
    expect(again!.startedAt).toBeGreaterThanOrEqual(first!.endedAt!);
    expect(again!.startedAt - first!.endedAt!).toBeLessThan(1_000);
  });
});

describe('a session that an instance has given up before the registry has ended it', () => {
  it.each([
    ['a handler that heeds its signal', true, 500],
    ['a handler that does not', false, 4_000],
  ])('does not delay the failover of its items, with %s', async (_, heeds, withinMs) => {
    await startCluster({
      failover: true,
      handler: ({ signal }) => cluster.clock.sleep(12_000, heeds ? signal : undefined),
    });
    await untilMinute(1_000);
    const [former] = cluster.instances[0]!.instanceIds;
    const operator = await operatorOf(cluster);

    cluster.partition(0);
    await cluster.advance(8_500);
    await cluster.heal(0);
    await cluster.advance(500);
    expect((await operator.exists(`/${JOB}/instances/${former}`)) === undefined).toBe(heeds);
    await cluster.advance(withinMs);

    const rescued = fired().filter(({ source }) => source === 'FAILOVER');
    expect(itemsOf(rescued)).toEqual(range(2));
  });
});

describe('a wall clock that is set', () => {
  it('runs nothing twice if it is set back over a fire time', async () => {
    await startCluster();
    await untilMinute(1_000);
    const last = fired()[0]!.fireTime;

    cluster.setWall(0, last - 30_000);
    await cluster.advance(40_000);
    expect(fired()[0]!.fireTime).toBe(last);
    await cluster.advance(60_000);

    expect(fired()[0]!.fireTime).toBe(last + MINUTE);
    expect(itemsOf(fired())).toEqual(range(2));
  });

  it("is not believed if it is set forward: fire times come by the registry's clock", async () => {
    await startCluster();
    await untilMinute(1_000);
    const last = fired()[0]!.fireTime;
    const before = cluster.runs(JOB).length;

    cluster.setWall(0, last + 10 * MINUTE + 5_000);
    await cluster.advance(59_500);

    expect(
      cluster
        .runs(JOB)
        .slice(before)
        .map(({ item, fireTime }) => [item, fireTime]),
    ).toEqual([
      [0, last + MINUTE],
      [1, last + MINUTE],
    ]);
  });
});

interface Options {
  readonly concurrency?: number;
  readonly handler?: (context: ShardingContext) => unknown;
  readonly misfire?: boolean;
  readonly failover?: boolean;
  readonly sessionTimeoutMs?: number;
}

function job({ handler = () => {}, concurrency, misfire, failover }: Options = {}) {
  return { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, handler, concurrency, misfire, failover };
}

/** One instance that has run its items before, since an item that never ran is not caught up on. */
async function startCluster({ sessionTimeoutMs, ...options }: Options = {}): Promise<void> {
  cluster = await createTestCluster({ instances: 1, sessionTimeoutMs, latencyMs: LATENCY_MS, jobs: [job(options)] });
  await untilMinute(1_000);
  setUpRuns = cluster.runs(JOB).length;
}

/** Moves to `offset` milliseconds from the next full minute. */
function untilMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}

/** The runs since the start that belong to the last fire time. */
function fired(): readonly TestRun[] {
  const runs = cluster.runs(JOB).slice(setUpRuns);
  return runs.filter(({ fireTime }) => fireTime === runs.at(-1)!.fireTime);
}

function outcomes(): string[] {
  return cluster.events(0).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []));
}
