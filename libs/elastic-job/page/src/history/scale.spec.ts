import { describe, expect, it } from 'vitest';
import { logPlaceOf, logTicks, placeOf, spanTicks, textWidth, timeTicks } from './scale.js';

const HOUR = 3_600_000;

describe('a scale of time', () => {
  it('has round instants of the zone, and not too many', () => {
    const from = Date.UTC(2026, 10, 30, 1, 10);
    expect(timeTicks(from, from + 2 * HOUR, 6).map((tick) => new Date(tick).toISOString().slice(11, 16))).toEqual([
      '01:30',
      '02:00',
      '02:30',
      '03:00',
    ]);
    expect(timeTicks(from, from + 24 * HOUR, 5, 5.5 * HOUR).map((tick) => (tick + 5.5 * HOUR) % (6 * HOUR))).toEqual([
      0, 0, 0, 0,
    ]);
    expect(timeTicks(0, 4_000 * 24 * HOUR, 8).length).toBeLessThanOrEqual(8);
  });

  it('is there for a window of no length', () => {
    expect(timeTicks(5, 5, 4)).toEqual([5]);
  });
});

describe('a scale of spans', () => {
  it('reaches from nothing to beyond the longest', () => {
    expect(spanTicks(250_000)).toEqual([0, 120_000, 240_000, 360_000]);
    expect(spanTicks(0)).toEqual([0, 1]);
    expect(spanTicks(400 * 24 * HOUR).length).toBeLessThanOrEqual(6);
  });

  it('of powers reaches beyond the longest as well', () => {
    expect(logTicks(42_000)).toEqual([1, 10, 100, 1_000, 10_000, 60_000]);
    expect(logTicks(0)).toEqual([1, 10]);
  });
});

describe('the room for a text', () => {
  it('is wider for Chinese', () => {
    expect(textWidth('分片项 10')).toBeGreaterThan(textWidth('item 10'));
    expect(textWidth('')).toBe(0);
  });
});

describe('the place of a value', () => {
  it('is between the ends, also for a value beyond them', () => {
    expect(placeOf(5, [0, 10], [100, 0])).toBe(50);
    expect(placeOf(20, [0, 10], [100, 0])).toBe(0);
    expect(placeOf(5, [5, 5], [7, 9])).toBe(7);
    expect(logPlaceOf(100, [1, 10_000], [0, 100])).toBeCloseTo(50);
    expect(logPlaceOf(0, [1, 10_000], [0, 100])).toBe(0);
  });
});
