import { afterEach, describe, expect, it } from 'vitest';
import type { ElasticJobListener, OnHung, ShardingContexts } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';

const JOB = 'settle-orders';
const OTHER = 'report';
const SECOND = 1_000;
const never = new Promise<never>(() => {});

let cluster: TestCluster;
afterEach(() => cluster.stop());

class Slow implements ElasticJobListener {
  calls = 0;

  constructor(private readonly own: Partial<ElasticJobListener>) {}

  beforeJobExecuted(contexts: ShardingContexts, barrier: Parameters<ElasticJobListener['beforeJobExecuted']>[1]) {
    this.calls += 1;
    return this.own.beforeJobExecuted?.(contexts, barrier);
  }

  afterJobExecuted(contexts: ShardingContexts, barrier: Parameters<ElasticJobListener['afterJobExecuted']>[1]) {
    return this.own.afterJobExecuted?.(contexts, barrier);
  }
}

describe('a beforeJobExecuted that never settles', () => {
  it('is aborted at the time limit of the job, and named by events and readiness after the grace', async () => {
    await start({ beforeJobExecuted: () => never });
    await cluster.advance(25 * SECOND);

    expect(hung().map(({ item, listener }) => [item, listener])).toEqual([
      [0, 'Slow.beforeJobExecuted'],
      [1, 'Slow.beforeJobExecuted'],
    ]);
    expect(hung()[0]!.reason).toMatchObject({ code: 'JOB_TIMEOUT' });
    expect(reasons()).toEqual([
      expect.stringMatching(
        /^job "settle-orders": Slow.beforeJobExecuted of items 0,1 still runs, although aborted at/,
      ),
    ]);
    expect(cluster.runs(JOB)).toEqual([]);
    expect(cluster.runs(OTHER).length).toBeGreaterThan(1);
  });

  it('fails the items if it heeds its signal, and the next fire time runs', async () => {
    let isStuck = true;
    await start({ beforeJobExecuted: ({ signal }) => (isStuck ? rejectedBy(signal) : undefined) });
    await cluster.advance(12 * SECOND);
    isStuck = false;
    await cluster.advance(20 * SECOND);

    const failed = settled().filter(({ outcome }) => outcome.kind === 'failed');
    expect(failed.map(({ item }) => item)).toEqual([0, 1]);
    expect(settled().filter(({ outcome }) => outcome.kind === 'succeeded').length).toBeGreaterThanOrEqual(2);
    expect(reasons()).toEqual([]);
  });

  it('gives its items up under onHung "release", and this process begins none before it returns', async () => {
    let goOn = (): void => {};
    const stuck = new Promise<void>((resolve) => (goOn = resolve));
    let call = 0;
    await start({ beforeJobExecuted: () => ((call += 1) === 1 ? stuck : undefined) }, { onHung: 'release' });
    await cluster.advance(35 * SECOND);
    expect(settled().map(({ item, outcome }) => [item, outcome.kind])).toEqual([
      [0, 'failed'],
      [1, 'failed'],
    ]);
    expect(call).toBe(1);

    goOn();
    await cluster.advance(20 * SECOND);

    expect(cluster.runs(JOB).length).toBeGreaterThanOrEqual(2);
    expect(reasons()).toEqual([]);
  });

  it('does not hold up a shutdown', async () => {
    await start({ beforeJobExecuted: () => never }, { timeoutMs: undefined });
    await cluster.advance(12 * SECOND);
    const since = cluster.clock.monotonicNow();

    await cluster.leave(0);

    expect(cluster.clock.monotonicNow() - since).toBeLessThanOrEqual(33 * SECOND);
  });
});

describe('an afterJobExecuted that never settles', () => {
  it('is aborted at the time limit of the job and named, and the job runs on', async () => {
    const signals: AbortSignal[] = [];
    await start({
      afterJobExecuted: ({ signal }) => {
        signals.push(signal);
        return never;
      },
    });
    await cluster.advance(35 * SECOND);

    expect(cluster.runs(JOB).length).toBeGreaterThanOrEqual(6);
    expect(signals[0]!.reason).toMatchObject({ code: 'JOB_TIMEOUT' });
    expect(hung()[0]).toMatchObject({ item: 0, listener: 'Slow.afterJobExecuted' });
    expect(reasons()).toEqual([
      expect.stringMatching(/^job "settle-orders": Slow.afterJobExecuted of items 0 still runs, although aborted at/),
    ]);
  });

  it('holds up no resident item, although the job has no time limit', async () => {
    cluster = await createTestCluster({
      instances: 1,
      hungGraceMs: SECOND,
      jobs: [
        {
          name: JOB,
          resident: true,
          shardingTotalCount: 1,
          listeners: [new Slow({ afterJobExecuted: () => never })],
          handler: () => {},
        },
      ],
    });
    await cluster.advance(30 * SECOND);

    expect(cluster.runs(JOB).length).toBeGreaterThan(5);
  });
});

async function start(
  own: Partial<ElasticJobListener>,
  options: { onHung?: OnHung; timeoutMs?: number | undefined } = {},
) {
  const common = { cron: '0/10 * * * * ?', shardingTotalCount: 2, handler: () => {} };
  cluster = await createTestCluster({
    instances: 1,
    hungGraceMs: 6 * SECOND,
    jobs: [
      { ...common, name: JOB, timeoutMs: 4 * SECOND, ...options, listeners: [new Slow(own)] },
      { ...common, name: OTHER },
    ],
  });
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

function eventsOf<Kind extends JobEvent['kind']>(kind: Kind) {
  return cluster.events(0).filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
}

function hung() {
  return eventsOf('hung');
}

function settled() {
  return eventsOf('settled').filter(({ trigger }) => trigger.jobName === JOB);
}

function reasons(): readonly string[] {
  return judgeReadiness(cluster.instances[0]!.runtime.status()).details.reasons;
}
