import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createShardingStrategy,
  type JobInstance,
  type ShardingStrategy,
} from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { THROWN_TRAPS } from '@test/support/unit/thrown-traps.js';

const JOB = 'settle-orders';
const EVEN = createShardingStrategy('AVG_ALLOCATION');
const BROKEN = new Error('the strategy is broken');
type Shard = ShardingStrategy['shard'];

/** Answers of strategies that are no plan, by what they are. */
const GARBAGE: readonly [string, Shard][] = [
  ['throws', () => fail(BROKEN)],
  ['throws a revoked proxy', () => fail(THROWN_TRAPS.get('a revoked proxy')!())],
  ['returns nothing', () => answered(undefined)],
  ['returns a text', () => answered('all')],
  ['returns a plain object', () => answered({ items: [0, 1] })],
  ['returns a revoked proxy', () => answered(THROWN_TRAPS.get('a revoked proxy')!())],
  ['returns a promise', (...args) => answered(Promise.resolve(EVEN.shard(...args)))],
  ['returns a rejected promise', () => answered(Promise.reject(BROKEN))],
  ['gives items to an unknown instance', () => answered(new Map([[{ jobInstanceId: 'nobody' }, [0, 1]]]))],
  ['gives items to no object', () => answered(new Map([[undefined, [0, 1]]]))],
  ['gives no list of items', ([first]) => answered(new Map([[first, 5]]))],
  ['gives an item out of range', ([first]) => new Map([[first!, [0, 1, 2]]])],
  ['gives an item twice', ([first]) => new Map([[first!, [0, 1, 1]]])],
  ['leaves an item out', ([first]) => new Map([[first!, [0]]])],
  ['gives an item that is no number', ([first]) => answered(new Map([[first, [0, '1']]]))],
];

const unhandled = vi.fn<(reason: unknown) => void>();
let cluster: TestCluster;
/** Set while the strategy is to fail. */
let shard: Shard | undefined;

beforeEach(() => {
  shard = undefined;
  unhandled.mockReset();
  process.on('unhandledRejection', unhandled);
});
afterEach(async () => {
  await cluster.stop();
  process.off('unhandledRejection', unhandled);
});

describe.each(GARBAGE)('a strategy that %s', (_what, garbage) => {
  it('stands still only until it answers again, and is named by event and readiness', async () => {
    shard = garbage;
    await start();
    await cluster.advance(25_000);
    expect(cluster.runs(JOB)).toEqual([]);
    expect(reasons(0)).toEqual([
      expect.stringMatching(/^job "settle-orders": leading the job has failed since .*"OWN"/),
    ]);
    expect(failuresOf(0)).toHaveLength(1);

    shard = undefined;
    await cluster.advance(60_000);

    expect(cluster.runs(JOB).length).toBeGreaterThanOrEqual(8);
    expect(reasons(0)).toEqual([]);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('leaves the last plan in force, whose items run in time', async () => {
    await start();
    await cluster.advance(10_000);
    shard = garbage;
    await cluster.join();
    await cluster.advance(1_000);
    const since = cluster.clock.wallNow();
    await cluster.advance(60_000);

    const runs = cluster.runs(JOB).filter(({ fireTime }) => fireTime > since);
    expect(runs).toHaveLength(12);
    expect(Math.max(...runs.map(({ fireTime, startedAt }) => startedAt - fireTime))).toBeLessThan(1_000);
    expect([...cluster.assignment(JOB).values()]).toEqual([0, 0]);
    expect(reasons(0)).toHaveLength(1);

    shard = undefined;
    await cluster.advance(60_000);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
    expect(reasons(0)).toEqual([]);
  });
});

describe('a strategy that throws once', () => {
  it('loses no fire time', async () => {
    let calls = 0;
    shard = (...args) => ((calls += 1) === 1 ? fail(BROKEN) : EVEN.shard(...args));
    await start();
    const since = cluster.clock.wallNow();
    await cluster.advance(60_000);

    expect(new Set(cluster.runs(JOB).map(({ fireTime }) => fireTime)).size).toBeGreaterThanOrEqual(6);
    expect(cluster.runs(JOB)[0]!.fireTime - since).toBeLessThanOrEqual(10_000);
  });
});

async function start(): Promise<void> {
  const plan: Shard = (...args) => (shard === undefined ? EVEN.shard(...args) : shard(...args));
  const strategy = { type: 'OWN', shard: plan };
  const job = { cron: '0/10 * * * * ?', shardingTotalCount: 2, strategy, handler: () => {} };
  cluster = await createTestCluster({ instances: 1, jobs: [{ name: JOB, ...job }] });
}

function reasons(index: number): readonly string[] {
  return judgeReadiness(cluster.instances[index]!.runtime.status()).details.reasons;
}

function failuresOf(index: number) {
  return cluster.events(index).filter(({ kind }) => kind === 'error');
}

/** A value in place of a plan. */
function answered(value: unknown): ReadonlyMap<JobInstance, readonly number[]> {
  const { answer }: { readonly answer: ReadonlyMap<JobInstance, readonly number[]> } = Object.assign(JSON.parse('{}'), {
    answer: value,
  });
  return answer;
}

function fail(error: unknown): never {
  throw error;
}
