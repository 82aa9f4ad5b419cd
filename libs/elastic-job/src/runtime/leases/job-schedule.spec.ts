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

it('given a session, when it is ready, then fire times come until it ends', async () => {
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

it('given settings that change, when they are followed, then fire times come by them, if they are usable', async () => {
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

it('given a late fire time, when settings are followed before it is told, then it is told all the same', async () => {
  schedule.start();
  clock.setWall(start + MINUTE + 1);
  schedule.follow();
  schedule.checkClock();
  expect(fired).toEqual([1]);
});

it('given a pause, when it is over, then nothing that came in it is owed, and all else is', async () => {
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

it('given a resume without a pause, when fire times are owed, then none is excluded', async () => {
  schedule.start();
  await clock.advance(MINUTE);
  schedule.resume();
  expect(schedule.excluded).toEqual([]);
});

it('given a pause, when a session starts or the settings change, then nothing fires before it is over', async () => {
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

it('given more than a hundred pauses, when they are over, then the latest hundred are known', async () => {
  for (let pause = 0; pause < 101; pause++) {
    schedule.pause();
    await clock.advance(1);
    schedule.resume();
  }
  expect(schedule.excluded).toHaveLength(100);
  expect(schedule.excluded!.at(-1)).toEqual(span(start + 100, start + 101));
});

it('given the last Java peer has left, when fire times are excluded, then nothing until now is owed', async () => {
  await clock.advance(MINUTE);
  schedule.excludePast();
  expect(schedule.excluded).toEqual([span(0, start + MINUTE)]);
});

/** A span of this host's time, with the same span in shared time. */
function span(after: number, until: number) {
  return { after, until, shared: { after: after === 0 ? 0 : after + BEHIND_MS, until: until + BEHIND_MS } };
}
