import { describe, expect, it } from 'vitest';
import { beginOf } from './fire-time-window.js';

const NOW = Date.UTC(2030, 0, 8, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function every(ms: number, changedAt = 0) {
  let looks = 0;
  const nextFireTime = (after: number) => {
    looks += 1;
    return (Math.floor(after / ms) + 1) * ms;
  };
  return { timeZone: null, shardingTotalCount: 1, changedAt, nextFireTime, looks: () => looks };
}

describe('the begin of a window of fire times', () => {
  it('is as early as the newest fire times need', () => {
    const begin = beginOf({ from: undefined, to: NOW, limit: 45 }, every(HOUR_MS));
    expect((NOW - begin) / HOUR_MS).toBeGreaterThanOrEqual(45);
    expect((NOW - begin) / HOUR_MS).toBeLessThanOrEqual(90);
  });

  it('is the one that was asked for, if no more fire times are in it', () => {
    expect(beginOf({ from: NOW - 10 * HOUR_MS, to: NOW, limit: 45 }, every(HOUR_MS))).toBe(NOW - 10 * HOUR_MS);
  });

  it('is a week ago for a job without a schedule, and for one whose schedule is new', () => {
    const none = { timeZone: null, shardingTotalCount: 1, changedAt: 0, nextFireTime: undefined };
    expect(beginOf({ from: undefined, to: NOW, limit: 45 }, none)).toBe(NOW - 7 * DAY_MS);
    const fresh = every(HOUR_MS, NOW - 2 * HOUR_MS);
    expect(beginOf({ from: undefined, to: NOW, limit: 45 }, fresh)).toBe(NOW - 7 * DAY_MS);
  });

  it('is found at once for a job of each second of which a year is asked', () => {
    const schedule = every(1_000, NOW - 60_000);
    const begin = beginOf({ from: NOW - 365 * DAY_MS, to: NOW, limit: 200 }, schedule);
    expect(NOW - begin).toBeGreaterThan(200_000);
    expect(schedule.looks()).toBeLessThan(20_000);
  });

  it('ends also for a schedule that has no fire time any more', () => {
    const over = { timeZone: null, shardingTotalCount: 1, changedAt: 0, nextFireTime: () => undefined };
    expect(beginOf({ from: undefined, to: NOW, limit: 45 }, over)).toBe(NOW - 90 * DAY_MS);
  });
});
