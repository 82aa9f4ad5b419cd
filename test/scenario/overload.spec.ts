import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions, MisfirePolicy, MissedReason } from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, type TestCluster, type TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { ascending, range } from './support/run-checks.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const JOBS = range(3).map((job) => `job-${job}`);
const ITEMS = range(2);
/** Duration of each run during a peak, while fire times come every second. */
const PEAK_RUN_MS = 2.5 * SECOND;
const MOST_TIMERS_OF_A_JOB = 20;

let cluster: TestCluster;
let isPeak: boolean;
afterEach(() => cluster.stop());

describe.each<[MisfirePolicy, MissedReason]>([
  ['skip', 'skipped'],
  ['once', 'superseded'],
  ['all', 'limit'],
])('a process with more due work than it can do, under the policy %s', (misfirePolicy, reason) => {
  it('runs each fire time once or reports it as missed, never both', async () => {
    await startPeak({ misfirePolicy, misfireLimit: 20 });
    const since = cluster.clock.wallNow();
    await cluster.advance(3 * MINUTE);
    isPeak = false;
    const until = cluster.clock.wallNow();
    await cluster.advance(2 * MINUTE);

    const due = range((until - since) / SECOND).map((second) => since + second * SECOND);
    const missed = eventsOf('missed');
    for (const job of JOBS)
      for (const item of ITEMS) {
        const run = cluster.runs(job).flatMap((one) => (one.item === item ? one.fireTime : []));
        const given = missed.filter(({ items, jobName }) => jobName === job && items.includes(item)).flatMap(fireTimes);
        expect([...run, ...given].filter((time) => due.includes(time)).toSorted(ascending)).toEqual(due);
      }
    expect(new Set(missed.map((event) => event.reason))).toEqual(new Set([reason]));
  });

  it('is in time again within a minute after the peak, and reports no late run any more', async () => {
    await startPeak({ misfirePolicy });
    await cluster.advance(5 * MINUTE);
    isPeak = false;
    await cluster.advance(MINUTE);
    const back = cluster.clock.wallNow();
    const told = eventsOf('late').length;
    await cluster.advance(2 * MINUTE + 100);

    const runs = JOBS.flatMap((job) => cluster.runs(job)).filter(({ fireTime }) => fireTime > back);
    expect(runs).toHaveLength(JOBS.length * ITEMS.length * 120);
    expect(Math.max(...runs.map(({ fireTime, startedAt }) => startedAt - fireTime))).toBeLessThan(100);
    expect(eventsOf('late')).toHaveLength(told);
  });

  it.each<[string, { isPeak: boolean; latencyMs: number }]>([
    ['runs that outlast two periods', { isPeak: true, latencyMs: 1 }],
    ['a registry that answers after three periods', { isPeak: false, latencyMs: 3 * SECOND }],
  ])(
    'needs no more memory after ten minutes than after two, with %s',
    async (_, { isPeak: isLong, latencyMs }) => {
      await startPeak({ misfirePolicy, misfireLimit: 20 }, latencyMs);
      isPeak = isLong;
      await cluster.advance(MINUTE);
      // A timer stands for each request, handler and pause that is under way.
      const early = await mostTimersOf(MINUTE);
      expect(early).toBeLessThanOrEqual(MOST_TIMERS_OF_A_JOB * JOBS.length);
      await cluster.advance(7 * MINUTE);

      expect(await mostTimersOf(MINUTE)).toBeLessThanOrEqual(early);
    },
    60_000,
  );
});

describe('runs that begin late', () => {
  it('are reported for each job once a minute, with their number and the latest of them', async () => {
    await startPeak({ misfirePolicy: 'all' });
    await cluster.advance(4 * MINUTE);

    for (const job of JOBS) {
      const late = eventsOf('late').filter(({ trigger }) => trigger.jobName === job);
      const [first, ...others] = late;
      expect(first).toMatchObject({ count: 1, lateAfterMs: 5 * SECOND });
      expect(others).toHaveLength(4);
      for (const { count } of others) expect(count).toBeGreaterThan(15);
      expect(late.map(({ latenessMs }) => latenessMs)).toEqual(
        late.map(({ latenessMs }) => latenessMs).toSorted((a, b) => a - b),
      );
    }
  });

  it('are late as from the instant of their start if the job is started after others', async () => {
    const [parent, child] = ['parent', 'child'];
    cluster = await createTestCluster({
      instances: 1,
      jobs: [
        {
          name: parent,
          cron: '0 * * * * ?',
          shardingTotalCount: 1,
          handler: (_, { clock }) => clock.sleep(20 * SECOND),
        },
        { name: child, after: [parent], shardingTotalCount: 1, handler: () => {} },
      ],
    });
    await cluster.advance(3 * MINUTE);

    const started = eventsOf('started').filter(({ trigger }) => trigger.jobName === child);
    expect(started.length).toBeGreaterThan(1);
    for (const { latenessMs } of started) expect(latenessMs).toBeLessThan(SECOND);
    expect(eventsOf('late')).toEqual([]);
  });
});

/** Jobs that fire every second, each of whose runs takes longer. */
async function startPeak(options: Partial<JobOptions>, latencyMs = 1): Promise<void> {
  isPeak = true;
  const handler: TestJobHandler = (_, { clock }) => (isPeak ? clock.sleep(PEAK_RUN_MS) : undefined);
  const jobs = JOBS.map((name) => ({
    cron: '* * * * * ?',
    ...options,
    name,
    shardingTotalCount: ITEMS.length,
    handler,
  }));
  cluster = await createTestCluster({ instances: 1, latencyMs, jobs });
  // To a full second, after the first runs.
  await cluster.advance(31 * SECOND - (cluster.clock.wallNow() % SECOND));
}

function eventsOf<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
  return cluster.instances[0]!.events.filter(
    (event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind,
  );
}

function fireTimes({ count, since }: { readonly count: number; readonly since: number }): number[] {
  return range(count).map((second) => since + second * SECOND);
}

async function mostTimersOf(ms: number): Promise<number> {
  let most = 0;
  for (let passed = 0; passed < ms; passed += 100) {
    await cluster.advance(100);
    most = Math.max(most, cluster.clock.pendingTimers);
  }
  return most;
}
