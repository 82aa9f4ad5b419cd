import { afterEach, beforeEach, expect, it } from 'vitest';
import { CronSchedule } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { JobSchedule } from './job-schedule.js';
import type { JobSettings } from './job-settings.js';

const MINUTE = 60_000;
const EACH_MINUTE = new CronSchedule('0 * * * * ?', 'UTC', 'quartz');
const EACH_HOUR = new CronSchedule('0 0 * * * ?', 'UTC', 'quartz');

let clock: VirtualClock;
/** Settings in force. */
let inForce: { schedule: CronSchedule | undefined; problem: unknown };
let fired: number[];
let schedule: JobSchedule;
let start: number;
/** This host's clock is behind that of most others. */
const BEHIND_MS = 1_000_000;
beforeEach(() => {
  clock = new VirtualClock();
  start = clock.wallNow();
  inForce = { schedule: EACH_MINUTE, problem: undefined };
  fired = [];
  const nextFireTimes = (after: number) => [inForce.schedule?.next(after) ?? []].flat();
  const settings: JobSettings = Object.create(null, {
    schedule: { get: () => inForce.schedule },
    problem: { get: () => inForce.problem },
    nextFireTimes: { value: nextFireTimes },
  });
  schedule = new JobSchedule(settings, Object.assign(clock, { sharedNow: () => clock.wallNow() + BEHIND_MS }), {
    onFire: (fireTime) => void fired.push((fireTime - start) / MINUTE),
    onError: () => {},
  });
});
afterEach(() => schedule.stop());

it('fires from the start of a session until its end', async () => {
  await clock.advance(MINUTE);
  expect([schedule.isStarted, schedule.isTicking, fired]).toEqual([false, false, []]);
  schedule.start();
  await clock.advance(MINUTE);
  expect([schedule.isStarted, schedule.isTicking, fired]).toEqual([true, true, [2]]);
  expect([schedule.lastFireTime, schedule.nextFireTime]).toEqual([start + 2 * MINUTE, start + 3 * MINUTE]);
  schedule.stop();
  await clock.advance(MINUTE);
  schedule.follow();
  await clock.advance(MINUTE);
  expect([schedule.isStarted, schedule.isTicking, fired]).toEqual([false, false, [2]]);
  expect(clock.pendingTimers).toBe(0);
});

it('fires by changed settings if they are usable', async () => {
  schedule.start();
  inForce.schedule = EACH_HOUR;
  schedule.follow();
  await clock.advance(60 * MINUTE);
  expect(fired).toEqual([60]);

  inForce.problem = new Error('damaged');
  schedule.follow();
  expect(schedule.isTicking).toBe(false);
  inForce = { schedule: EACH_MINUTE, problem: undefined };
  schedule.follow();
  await clock.advance(MINUTE);
  expect(fired).toEqual([60, 61]);

  inForce.schedule = undefined;
  schedule.follow();
  await clock.advance(MINUTE);
  expect([schedule.isTicking, schedule.willTick, fired]).toEqual([false, false, [60, 61]]);
});

it('fires a late fire time even if settings are followed before it', async () => {
  schedule.start();
  clock.setWall(start + MINUTE + 1);
  schedule.follow();
  schedule.checkClock();
  expect(fired).toEqual([1]);
});

it('excludes what came during a pause from what is owed, and nothing else', async () => {
  schedule.start();
  expect(schedule.excluded).toEqual([]);
  await clock.advance(MINUTE);
  schedule.pause();
  expect([schedule.excluded, schedule.willTick, schedule.isTicking]).toEqual([undefined, false, false]);
  await clock.advance(2 * MINUTE);
  schedule.pause(); // Only the first of several pauses counts.
  schedule.resume();
  schedule.resume();
  await clock.advance(MINUTE);
  expect(fired).toEqual([1, 4]);
  expect(schedule.willTick).toBe(true);
  expect(schedule.excluded).toEqual([span(start + MINUTE, start + 3 * MINUTE)]);
});

it('excludes nothing after a resume without a pause', async () => {
  schedule.start();
  await clock.advance(MINUTE);
  schedule.resume();
  expect(schedule.excluded).toEqual([]);
});

it('fires nothing during a pause, even if a session starts or the settings change', async () => {
  schedule.pause();
  schedule.start();
  inForce.schedule = EACH_HOUR;
  schedule.follow();
  await clock.advance(60 * MINUTE);
  expect(fired).toEqual([]);
  schedule.resume();
  await clock.advance(60 * MINUTE);
  expect(fired).toEqual([120]);
});

it('remembers the latest hundred pauses', async () => {
  for (let pause = 0; pause < 101; pause++) {
    schedule.pause();
    await clock.advance(1);
    schedule.resume();
  }
  expect(schedule.excluded).toHaveLength(100);
  expect(schedule.excluded!.at(-1)).toEqual(span(start + 100, start + 101));
});

it('excludes all fire times until now after the last Java peer has left', async () => {
  await clock.advance(MINUTE);
  schedule.excludePast();
  expect(schedule.excluded).toEqual([span(0, start + MINUTE)]);
});

/** A span of this host's time, with the same span in shared time. */
function span(after: number, until: number) {
  return { after, until, shared: { after: after === 0 ? 0 : after + BEHIND_MS, until: until + BEHIND_MS } };
}
