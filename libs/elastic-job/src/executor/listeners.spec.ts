import { describe, expect, it } from 'vitest';
import { HUNG_GRACE_MS, setUp } from '@test/support/unit/hand-made-lease.js';
import {
  type ElasticJobListener,
  type JobOptions,
  JobTimeoutError,
  readListener,
  resolveJobOptions,
} from '../domain/index.js';
import type { HungHandler } from './executable-job.js';
import { JobListeners } from './listeners.js';

const REASON = new Error('drain');

describe('a listener', () => {
  it('counts as hung for each item once the grace after the abort is over, and the items wait for it', async () => {
    const { clock, lease, before, hung, openEnds } = listening({ beforeJobExecuted: () => clock.sleep(60_000) });

    const called = before();
    await clock.advance(20_000);
    expect(hung).toEqual([]);
    lease.abort(REASON);
    await clock.advance(HUNG_GRACE_MS);
    expect(hung).toMatchObject([0, 1].map((item) => ({ item, reason: REASON, isReleased: false })));
    let isOver = false;
    void called.then(() => (isOver = true));
    await clock.advance(30_000);
    expect(isOver).toBe(false);
    await clock.advance(5_000);

    expect(isOver).toBe(true);
    expect(hung).toHaveLength(2);
    expect(openEnds().timers).toBe(0);
  });

  it('does not hold the items up once it counts as hung if the job releases these', async () => {
    const { clock, lease, before, hung } = listening({ beforeJobExecuted: () => never }, { onHung: 'release' });

    const called = before();
    lease.abort(REASON);
    await clock.advance(HUNG_GRACE_MS);
    await called;

    expect(hung).toMatchObject([0, 1].map((item) => ({ item, reason: REASON, isReleased: true })));
  });

  it('counts as hung after the grace too if the items were aborted before', async () => {
    const { clock, lease, before, hung } = listening({ beforeJobExecuted: () => never }, { onHung: 'release' });
    lease.abort(REASON);
    const since = clock.wallNow();

    const called = before();
    await clock.advance(HUNG_GRACE_MS);
    await called;

    expect(hung).toMatchObject([
      { item: 0, since },
      { item: 1, since },
    ]);
  });

  it('is given up once after the run if it does not return within its time limit and the grace', async () => {
    const { clock, before, hung } = listening({ afterJobExecuted: () => never }, { timeoutMs: 100 });

    const notified = await before();
    const ended = notified.after();
    await clock.advance(100 + HUNG_GRACE_MS);
    await ended;

    const reason = new JobTimeoutError('settle-orders', 0, 100);
    expect(hung).toMatchObject([{ item: 0, reason, isReleased: true, listener: 'Audit.afterJobExecuted' }]);
  });

  it('of another type than those that the job names is not called, and the run meets nobody', async () => {
    const { before, entered, openEnds } = listening({ type: 'audit', beforeJobExecuted: () => never });

    const notified = await before();
    await notified.after();

    expect([entered, openEnds()]).toEqual([[], { timers: 0, listeners: 0 }]);
  });
});

const never = new Promise<never>(() => {});

/** One listener around a lease of two items. */
function listening(own: Partial<ElasticJobListener>, options: Partial<JobOptions> = {}) {
  class Audit implements ElasticJobListener {
    beforeJobExecuted(): unknown {
      return undefined;
    }

    afterJobExecuted(): unknown {
      return undefined;
    }
  }
  const { clock, executor, lease, openEnds } = setUp({ items: [0, 1] });
  const configuration = resolveJobOptions(
    { name: lease.jobName, shardingTotalCount: 2, ...options },
    { place: 'spec' },
  );
  const hung: HungHandler[] = [];
  const entered: unknown[] = [];
  const enter = (of: unknown) => {
    entered.push(of);
    return { meet: () => Promise.resolve(), leave: () => {} };
  };
  const listeners = new JobListeners([readListener(Object.assign(new Audit(), own))], enter, executor, {
    clock,
    hungGraceMs: HUNG_GRACE_MS,
    onError: () => {},
    onHung: (_lease, handler) => void hung.push(handler),
    onReturned: () => {},
  });
  return { clock, lease, openEnds, hung, entered, before: () => listeners.before(lease, configuration) };
}
