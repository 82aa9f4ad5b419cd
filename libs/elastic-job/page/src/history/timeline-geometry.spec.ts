import { describe, expect, it } from 'vitest';
import { RUN } from './runs.for-spec.js';
import type { Bar, Timeline } from './timeline-layout.js';
import { geometryOf, offsetMs, rowAt, timeAt, widthOf, xOf, yOf } from './timeline-geometry.js';

const T = Date.UTC(2026, 10, 30, 2);
const HOUR = 3_600_000;
const BAR: Bar = { run: RUN, row: 0, from: T, to: T, outcome: 'succeeded', isEarlier: false, isOpen: false };
const timeline: Timeline = { from: T, to: T + HOUR, rows: [0, 3], bars: [], joins: [], bands: [] };

describe('the geometry of a timeline', () => {
  const geometry = geometryOf(timeline, 1_000, 'item 3', 'Asia/Kolkata');

  it('finds an instant and a row where it has drawn them', () => {
    const at = T + HOUR / 3;
    expect(timeAt(geometry, xOf(geometry, at))).toBeCloseTo(at, -1);
    expect(rowAt(yOf(1) + 3)).toBe(1);
    expect(xOf(geometry, T + 9 * HOUR)).toBeLessThan(1_000);
  });

  it('has ticks that are round in its zone', () => {
    expect(geometry.ticks.every((tick) => (tick + 5.5 * HOUR) % (HOUR / 12) === 0)).toBe(true);
    expect(geometry.ticks.length).toBeGreaterThan(3);
  });

  it('leaves room for runs of a minute beside one of an hour, and finds instants of both', () => {
    const minutes = [1, 1, 1, 1, 1, 1, 60];
    const bars = minutes.map((count) => ({ ...BAR, to: T + count * 60_000 }));
    const folded = geometryOf({ ...timeline, bars }, 1_000, 'item 3', 'UTC');
    expect(xOf(folded, T + 60_000)).toBeGreaterThan(600);
    for (const at of [T + 30_000, T + 40 * 60_000]) expect(timeAt(folded, xOf(folded, at))).toBeCloseTo(at, -1);
    expect(folded.ticks.every((tick) => tick <= folded.knee)).toBe(true);
  });

  it('shows also the shortest run', () => {
    expect(widthOf(geometry, { from: T, to: T })).toBe(3);
  });

  it('reads the offset of a zone', () => {
    expect([offsetMs('+05:30'), offsetMs('-03:30'), offsetMs('+00:00')]).toEqual([5.5 * HOUR, -3.5 * HOUR, 0]);
  });
});
