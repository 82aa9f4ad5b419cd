import { plant, type PlantedJob, SERVER_IP } from '@test/support/unit/console-jobs.js';
import { FakeJobHistory, TWO } from '@test/support/unit/job-history.js';
import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it } from 'vitest';
import type { ConsoleCaller } from '../contract/index.js';
import { HistoryGate } from '../history/index.js';
import { JobIndex } from './job-index.js';

const VIEWER: ConsoleCaller = { name: 'ann', role: 'viewer', by: 'page' };
const FINANCE: ConsoleCaller = { ...VIEWER, name: 'fin', jobPrefix: 'finance-' };
const NIGHTLY = ['cron: 0 0 2 * * ?', 'timeZone: Europe/Paris'];

async function setUp(jobs: Readonly<Record<string, PlantedJob>>) {
  const stage = new MemoryStage();
  const center = await stage.connected();
  for (const [job, planted] of Object.entries(jobs)) await stage.during(() => plant(center, job, planted));
  const history = new FakeJobHistory();
  history.beats = Object.keys(jobs).map((jobName) => {
    const fireTimes = [{ fireTime: TWO, succeeded: 1, failed: 1, running: 0 }];
    return { jobName, fireTimes, lastGoodAt: TWO, failedSince: TWO + 1, p95DurationMs: undefined };
  });
  const gate = new HistoryGate({ clock: stage.clock, sinks: [history], log: { error: () => {} } });
  const parts = { registry: center, clock: stage.clock, redact: (text: string) => text, namespace: 'test' };
  const index = new JobIndex({ ...parts, gate, isShared: false });
  index.start();
  await stage.clock.advance(2_000);
  const stop = async () => {
    await stage.during(() => index.stop());
    await stage.clock.advance(0);
    expect(stage.clock.pendingTimers).toBe(0);
  };
  return { history, index, stage, stop };
}

const FAILING = { lastFireTimes: ['part'], failedSince: '2030-01-01T02:00:00.001Z' };
const UNKNOWN = { lastFireTimes: null, failedSince: null };

describe('the rows of jobs', () => {
  it('have their last fire times once somebody looks at them, and streams are told', async () => {
    const { history, index, stage, stop } = await setUp({ settle: {}, ledger: {}, 'finance-close': {} });
    expect(index.list({}, VIEWER).items).toMatchObject([UNKNOWN, UNKNOWN, UNKNOWN]);
    await stage.clock.advance(60_000);
    expect(history.asked).toEqual([]);

    const told: (string | undefined)[] = [];
    index.onChange((job) => told.push(job));
    index.setScreen(VIEWER, ['settle', 'ledger']);
    await stage.during(() => index.historyReady());
    expect(index.list({}, VIEWER).items).toMatchObject([UNKNOWN, FAILING, FAILING]);
    expect(index.row('settle')).toMatchObject(FAILING);
    expect(told).toEqual(['settle', 'ledger']);
    await stop();
  });

  it('are kept up to date as long as a stream tells of them', async () => {
    const { history, index, stage, stop } = await setUp({ settle: {} });
    index.setScreen(VIEWER, ['settle']);
    for (let second = 0; second < 30; second += 1) {
      await stage.clock.advance(1_000);
      index.keepScreen(VIEWER);
    }
    const asked = history.queriesOf('pulses').length;
    expect(asked).toBeGreaterThan(1);
    await stage.clock.advance(600_000);
    expect(history.queriesOf('pulses').length).toBeLessThan(asked + 2);
    await stop();
  });

  it('have them in an overview, which has the history of the caller’s jobs', async () => {
    const { history, index, stage, stop } = await setUp({
      settle: { instances: [] },
      'finance-close': { instances: [] },
    });
    expect(index.overview(FINANCE)).toMatchObject({ worst: [{ job: 'finance-close', ...UNKNOWN }], history: null });
    await stage.during(() => index.historyReady());
    expect(index.overview(FINANCE)).toMatchObject({ worst: [FAILING], history: { missed: 0, stale: false } });
    expect(history.queriesOf('pulses')).toMatchObject([{ jobNames: ['finance-close'] }]);
    await stop();
  });

  it('have them where a job is open', async () => {
    const { index, stage, stop } = await setUp({ settle: {} });
    const open = index.open('settle');
    await stage.during(() => open.job());
    await stage.during(() => index.historyReady());
    expect(await stage.during(() => open.job())).toMatchObject(FAILING);
    expect(await stage.during(() => open.row())).toMatchObject(FAILING);
    open.close();
    await stop();
  });
});

describe('the schedule of a job', () => {
  it.each([
    ['enabled', {}],
    ['disabled', { servers: { [SERVER_IP]: 'DISABLED' as const } }],
  ])('is that of its settings while it is %s', async (_, planted) => {
    const { index, stage, stop } = await setUp({ settle: { ...planted, items: 3, config: NIGHTLY } });
    const open = index.open('settle');
    const schedule = await stage.during(() => open.schedule());
    expect(schedule).toMatchObject({ timeZone: 'Europe/Paris', shardingTotalCount: 3 });
    expect(schedule.changedAt).toBeGreaterThanOrEqual(Date.UTC(2030, 0, 1));
    expect(schedule.nextFireTime?.(Date.UTC(2029, 5, 1))).toBe(Date.UTC(2029, 5, 2));
    open.close();
    await stop();
  });

  it('is none for a job without a cron, and for one whose cron is wrong', async () => {
    const { index, stage, stop } = await setUp({ manual: {}, wrong: { config: ['cron: every night'] } });
    for (const job of ['manual', 'wrong']) {
      const open = index.open(job);
      expect((await stage.during(() => open.schedule())).nextFireTime).toBeUndefined();
      open.close();
    }
    await stop();
  });
});
