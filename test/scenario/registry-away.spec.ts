import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FencedStore, resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { JOB, MINUTE, OneProcess, SECOND } from '@test/support/unit/one-process.js';

const EACH_SECOND = { cron: '* * * * * ?', misfirePolicy: 'skip', failover: false } as const;
const AHEAD = new Error('the store has seen tokens that the registry has not reached');

const warned = vi.fn<(warning: Error) => void>();
let scheduler: OneProcess;

beforeEach(() => {
  warned.mockReset();
  process.on('warning', warned);
});
afterEach(async () => {
  await scheduler.stop();
  process.off('warning', warned);
});

it('counts the triggers that a registry which is away does not answer, and tells of them once it is back', async () => {
  await start(['a', 'b']);
  await scheduler.untilSecond(0);
  await away(6 * SECOND);

  expect(scheduler.toldOf('error')).toEqual([]);
  const told = scheduler.toldOf('unanswered');
  expect(told).toHaveLength(1);
  expect(told[0]!.counts).toEqual(new Map([JOB, 'a', 'b'].map((jobName) => [jobName, 6])));
  expect(kindsAbout().slice(-2)).toEqual(['session RECONNECTED', 'unanswered']);
});

it('begins each fire time of an outage, or tells of it as missed, once', async () => {
  await start([]);
  await scheduler.untilSecond(0);
  const from = scheduler.clock.wallNow();
  await away(6 * SECOND);
  await scheduler.advance(30 * SECOND);

  const until = scheduler.clock.wallNow() - 10 * SECOND;
  const times = [...scheduler.toldOf('begun').map(({ trigger }) => trigger.fireTime), ...missed(0)];
  for (let time = from; time <= until; time += SECOND) expect(times.filter((one) => one === time)).toHaveLength(1);
});

it('tells of triggers without an answer at once if the connection stands, then once a minute', async () => {
  await start([]);
  await scheduler.untilSecond(30);
  const { id } = scheduler.center.session;
  scheduler.registry.cutOff(id!);
  await scheduler.advance(7 * SECOND);
  expect(scheduler.toldOf('unanswered').map(({ counts }) => counts.get(JOB))).toEqual([1]);
  scheduler.registry.heal(id!);
  await scheduler.advance(2 * MINUTE);
  expect(scheduler.toldOf('unanswered').length).toBeLessThanOrEqual(3);
  expect(scheduler.toldOf('error')).toEqual([]);
});

it('lets any number of jobs join again without a warning of Node', async () => {
  await start(Array.from({ length: 30 }, (_, index) => `job-${index}`));
  const { center } = scheduler;
  const transaction = center.transaction.bind(center);
  center.transaction = () => Promise.reject(new Error('refused'));
  scheduler.registry.expire(center.session.id!);
  await scheduler.advance(5 * SECOND);
  expect(scheduler.toldOf('error').length).toBeGreaterThanOrEqual(31);
  center.transaction = transaction;
  await scheduler.advance(10 * SECOND);

  await new Promise(setImmediate); // Node tells of warnings in a later turn.
  expect(warned.mock.calls).toEqual([]);
  expect(scheduler.runtime.status().jobs.every(({ isJoined }) => isJoined)).toBe(true);
});

it('names a fence that is ahead in readiness while it keeps a job from joining again', async () => {
  const fence = fenceOf();
  await start([], [fence]);
  fence.isAhead = true;
  scheduler.registry.expire(scheduler.center.session.id!);
  await scheduler.advance(20 * SECOND);
  const since = '\\d{4}-\\d\\d-\\d\\dT\\S+Z';
  expect(reasons()).toContainEqual(
    expect.stringMatching(new RegExp(`^job "${JOB}": joining the job has failed since ${since}: ${AHEAD.message}$`)),
  );

  fence.isAhead = false;
  await scheduler.advance(20 * SECOND);
  expect(reasons()).toEqual([]);
});

it('names a fence that is ahead in readiness while it keeps created jobs from joining', async () => {
  const fence = fenceOf();
  scheduler = new OneProcess({ fences: [fence] });
  await scheduler.operator.connect();
  const place = 'spec';
  const configuration = resolveJobOptions({ name: 'report', shardingTotalCount: 1 }, { place });
  scheduler.runtime.templates.declare({ name: 'report', configuration, place, handler: () => {} });
  await scheduler.clock.advanceUntil(scheduler.runtime.start());
  fence.isAhead = true;
  const jobs = new JobOperateApi(scheduler.operator, scheduler.clock);
  for (const name of ['a', 'b']) await jobs.create({ name, template: 'report', ...EACH_SECOND, shardingTotalCount: 1 });
  await scheduler.advance(20 * SECOND);
  expect(reasons()).toEqual([`jobs of template "report" could not be joined (a, b): ${AHEAD.message}`]);

  fence.isAhead = false;
  await scheduler.advance(MINUTE);
  expect(reasons()).toEqual([]);
});

function fenceOf(): FencedStore & { isAhead: boolean } {
  return {
    isAhead: false,
    async assertNotAhead() {
      if (this.isAhead) throw AHEAD;
    },
  };
}

/** One job of the process, and further ones, which all run each second. */
async function start(others: readonly string[], fences: readonly FencedStore[] = []): Promise<void> {
  scheduler = new OneProcess({ fences });
  await scheduler.operator.connect();
  for (const name of [JOB, ...others])
    await scheduler.runtime.registrar.register(scheduler.job({ ...EACH_SECOND, name }));
  await scheduler.clock.advanceUntil(scheduler.runtime.start());
  await scheduler.advance(3 * SECOND);
}

async function away(ms: number): Promise<void> {
  const { id } = scheduler.center.session;
  scheduler.registry.suspend(id!);
  await scheduler.advance(ms);
  scheduler.registry.resume(id!);
  await scheduler.advance(5 * SECOND);
}

function missed(item: number): number[] {
  const events = scheduler.toldOf('missed').filter(({ items }) => items.includes(item));
  return events.flatMap(({ count, since }) => Array.from({ length: count }, (_, index) => since + index * SECOND));
}

/** Events about the registry, in order. */
function kindsAbout(): string[] {
  return scheduler.told.flatMap((event) => {
    if (event.kind === 'session') return [`session ${event.state}`];
    return event.kind === 'unanswered' ? [event.kind] : [];
  });
}

function reasons(): readonly string[] {
  return judgeReadiness(scheduler.runtime.status()).details.reasons;
}
