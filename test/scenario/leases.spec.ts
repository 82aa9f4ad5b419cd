import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { createTestCluster, type TestCluster, type TestRun } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const HUNG_GRACE_MS = 5_000;

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('a handler that does not heed its signal', () => {
  it('raises one alarm after its time-out, blocks its item, and is shown by health', async () => {
    const handler = stuckOnce();
    await startCluster(1, { handler, timeoutMs: 10_000 });
    const first = await fire();

    await cluster.advance(10_000 + HUNG_GRACE_MS);
    expect(alarms(0)).toMatchObject([
      { item: 0, since: runsFor(first)[0]!.startedAt + 10_000, reason: { code: 'JOB_TIMEOUT' }, isReleased: false },
    ]);
    expect(readiness()).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining('item 0')] },
    });
    const second = await fire();

    expect(runsFor(second)).toMatchObject([{ item: 1 }]);
    expect(refusals(0, second)).toEqual([[0]]);
    expect(alarms(0)).toHaveLength(1);
  });

  it('has timed out even if it returns at last, and the fire time in between is caught up on', async () => {
    const handler = stuckOnce();
    await startCluster(1, { handler, timeoutMs: 10_000 });
    await fire();
    const second = await fire();

    handler.letGo();
    await cluster.advance(1_000);

    expect(outcomesOf(0, 0)).toMatchObject([{ kind: 'failed', error: { code: 'JOB_TIMEOUT' } }, { kind: 'succeeded' }]);
    expect(itemsOf(runsFor(second))).toEqual(range(2));
    expect(readiness().status).toBe('up');
  });

  it('blocks its item in this process after a lost session until it returns', async () => {
    const handler = stuckOnce();
    await startCluster(1, { handler });
    await fire();
    cluster.partition(0);
    await cluster.advance(15_000);
    await cluster.heal(0);
    const second = await fire();

    expect(cluster.instances[0]!.instanceIds.size).toBe(2);
    expect(runsFor(second)).toMatchObject([{ item: 1 }]);
    expect(refusals(0, second)).toEqual([[0]]);
    handler.letGo();
    await cluster.advance(1_000);
    expect(itemsOf(runsFor(second))).toEqual(range(2));
  });

  it('raises no alarm and leaves no timer if it heeds the signal in time', async () => {
    await startCluster(1, { timeoutMs: 10_000, handler: ({ signal }) => aborted(signal) });
    await fire();
    const timers = cluster.clock.pendingTimers;

    await cluster.advance(10_000 + 2 * HUNG_GRACE_MS);

    expect(alarms(0)).toEqual([]);
    expect(cluster.clock.pendingTimers).toBeLessThan(timers);
  });

  it('does not delay a shutdown past the drain deadline, and leaves no timer', async () => {
    await startCluster(1, { handler: () => new Promise(() => {}), timeoutMs: 10_000 }, { hungGraceMs: 10 * MINUTE });
    await fire();

    await cluster.leave(0);

    expect(cluster.clock.pendingTimers).toBe(0);
    expect(alarms(0)).toEqual([]);
  });
});

describe("onHung: 'release'", () => {
  it("lets another instance run the item, and makes the old handler's token stale", async () => {
    const handler = stuckOnce();
    await startCluster(2, { handler, timeoutMs: 10_000, onHung: 'release', failover: true });
    const first = await fire();
    await cluster.advance(10_000 + HUNG_GRACE_MS + 1_000);

    const [stuck, rescue] = runsFor(first).filter(({ item }) => item === 0);
    expect(rescue).toMatchObject({ source: 'FAILOVER', instance: 1 - stuck!.instance });
    expect(rescue!.token!).toBeGreaterThan(stuck!.token!);
    expect(alarms(stuck!.instance)).toMatchObject([{ item: 0, isReleased: true }]);
    expect(outcomesOf(stuck!.instance, 0)).toMatchObject([
      { kind: 'aborted', reason: { code: 'HANDLER_HUNG', cause: { code: 'JOB_TIMEOUT' } } },
    ]);
    expect(() => handler.context!.assertHeld()).toThrow('Item 0');
  });

  it('does not begin the item in this process again until the old handler returns', async () => {
    const handler = stuckOnce();
    await startCluster(1, { handler, timeoutMs: 10_000, onHung: 'release', failover: true });
    await fire();
    const second = await fire();
    expect(runsFor(second)).toMatchObject([{ item: 1 }]);
    expect(refusals(0, second)).toEqual([[0]]);

    handler.letGo();
    await cluster.advance(1_000);

    expect(cluster.runs(JOB).filter(({ item }) => item === 0).length).toBeGreaterThan(1);
    expect(alarms(0)).toHaveLength(1);
    expect(readiness().status).toBe('up');
  });

  it('does not pass an item on again if its rescue hangs too', async () => {
    const handler = ({ shardingItem }: ShardingContext) => (shardingItem === 0 ? new Promise(() => {}) : undefined);
    await startCluster(3, { handler, timeoutMs: 10_000, onHung: 'release', failover: true, cron: '0 0 * * * ?' });
    await untilNext(60 * MINUTE);

    await cluster.advance(10 * MINUTE);

    expect(cluster.runs(JOB).filter(({ item }) => item === 0)).toMatchObject([
      { source: 'NORMAL_TRIGGER' },
      { source: 'FAILOVER' },
    ]);
  });
});

describe('suspendedGraceMs', () => {
  it('aborts and settles what ran if it passes without an answer, and keeps the session', async () => {
    await startCluster(
      1,
      { handler: ({ signal }) => aborted(signal) },
      { suspendedGraceMs: 500, sessionTimeoutMs: 20_000 },
    );
    await fire();
    cluster.partition(0);
    await cluster.advance(15_000);
    expect(cluster.runs(JOB).every(({ endedAt }) => endedAt !== undefined)).toBe(true);

    await cluster.heal(0);
    await cluster.advance(1_000);

    expect(outcomesOf(0, 0)).toMatchObject([{ kind: 'aborted', reason: { code: 'SUSPENDED_TOO_LONG' } }]);
    expect(cluster.instances[0]!.instanceIds.size).toBe(1);
  });

  it.each([undefined, 30_000])('lets what runs go on after a shorter interruption (%s)', async (suspendedGraceMs) => {
    await startCluster(
      1,
      { handler: () => cluster.clock.sleep(30_000) },
      { suspendedGraceMs, sessionTimeoutMs: 20_000 },
    );
    await fire();
    cluster.partition(0);
    await cluster.advance(15_000);
    await cluster.heal(0);
    await cluster.advance(20_000);

    expect(outcomesOf(0, 0)).toEqual([{ kind: 'succeeded' }]);
  });
});

describe('an operator who cancels', () => {
  it('aborts an item after the outage of its holder if it was cancelled meanwhile', async () => {
    await startCluster(1, { handler: ({ signal }) => aborted(signal) }, { sessionTimeoutMs: 20_000 });
    await fire();
    const operator = await operations();
    cluster.partition(0);
    await cluster.advance(5_000);

    await cluster.clock.advanceUntil(operator.cancel(JOB, 1));
    await cluster.heal(0);
    await cluster.advance(1_000);

    expect(outcomesOf(0, 1)).toMatchObject([{ kind: 'aborted', reason: { code: 'CANCELLED' } }]);
    expect(outcomesOf(0, 0)).toEqual([]);
  });
});

type Options = Partial<JobOptions> & { readonly handler?: (context: ShardingContext) => unknown };

async function startCluster(
  instances: number,
  { handler = () => {}, ...options }: Options,
  timing: { hungGraceMs?: number; suspendedGraceMs?: number; sessionTimeoutMs?: number } = {},
): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, ...options, handler };
  cluster = await createTestCluster({
    instances,
    drainTimeoutMs: 1_000,
    hungGraceMs: HUNG_GRACE_MS,
    ...timing,
    jobs: [job],
  });
}

/** A handler whose first run of item 0 ignores its signal, and goes on until `letGo`. */
function stuckOnce() {
  let letGo = () => {};
  const stuck = new Promise<void>((resolve) => (letGo = resolve));
  const handler = Object.assign(
    (context: ShardingContext): unknown => {
      if (context.shardingItem !== 0 || handler.context !== undefined) return undefined;
      handler.context = context;
      return stuck;
    },
    { letGo, context: undefined as ShardingContext | undefined },
  );
  return handler;
}

/** Moves to just after the next full minute. @returns that minute */
async function fire(): Promise<number> {
  await untilNext(MINUTE);
  const fireTime = Math.floor(cluster.clock.wallNow() / MINUTE) * MINUTE;
  return fireTime;
}

function untilNext(ms: number): Promise<void> {
  return cluster.advance(ms - (cluster.clock.wallNow() % ms) + 100);
}

async function operations(): Promise<JobOperateApi> {
  const { clock, registry } = cluster;
  const center = registry.center({ namespace: 'test', clock, sessionTimeoutMs: 60_000, requestTimeoutMs: 5_000 });
  await cluster.clock.advanceUntil(center.connect());
  return new JobOperateApi(center, clock);
}

function runsFor(fireTime: number): readonly TestRun[] {
  return cluster.runs(JOB).filter((run) => run.fireTime === fireTime);
}

type EventOf<Kind extends JobEvent['kind']> = Extract<JobEvent, { kind: Kind }>;

function alarms(instance: number): readonly EventOf<'hung'>[] {
  return cluster.events(instance).filter((event) => event.kind === 'hung');
}

/** The items that still ran here at a fire time. */
function refusals(instance: number, fireTime: number): (readonly number[])[] {
  return cluster
    .events(instance)
    .filter((event) => event.kind === 'refused')
    .filter(({ trigger, cause }) => trigger.fireTime === fireTime && cause === 'still running')
    .map(({ items }) => items);
}

function outcomesOf(instance: number, item: number): EventOf<'settled'>['outcome'][] {
  return cluster
    .events(instance)
    .filter((event) => event.kind === 'settled')
    .filter((event) => event.item === item)
    .map(({ outcome }) => outcome);
}

function readiness() {
  return judgeReadiness(cluster.instances[0]!.runtime.status());
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
