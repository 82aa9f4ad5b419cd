import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../../src/console/contract/history-answers.js';
import { RUN } from './runs.for-spec.js';
import { barAfter, barAt, timelineOf } from './timeline-layout.js';

const T = Date.parse('2026-11-30T02:00:00.000Z');
const iso = (seconds: number) => new Date(T + seconds * 1_000).toISOString();
const NOW = T + 3_600_000;

const runOf = (
  id: string,
  item: number,
  begun: number,
  settled: number | null,
  more: Partial<RunRow> = {},
): RunRow => ({
  ...RUN,
  id,
  item,
  fireTime: iso(0),
  outcome: settled === null ? 'running' : 'succeeded',
  begunAt: iso(begun),
  settledAt: settled === null ? null : iso(settled),
  ...more,
});

describe('a timeline', () => {
  it('has a row for each item and a bar for each run, also for one that still runs', () => {
    const { bars, from, rows, to } = timelineOf({ runs: [runOf('b', 9, 5, null), runOf('a', 3, 1, 4)], now: NOW });
    expect(rows).toEqual([3, 9]);
    expect(bars.map(({ row, run }) => [run.id, row])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect([from, to]).toEqual([T + 1_000, NOW]);
    expect(bars[1]).toMatchObject({ to: NOW, isOpen: true });
  });

  it('joins the runs of one target, and no others', () => {
    const lost = runOf('a', 3, 0, null, { outcome: 'lost' });
    const second = runOf('b', 3, 42, 60, { source: 'FAILOVER' });
    const other = runOf('c', 3, 90, 95, { fireTime: iso(90) });
    const { bars, joins } = timelineOf({ runs: [other, second, lost], now: NOW });
    expect(joins).toEqual([{ row: 0, from: T + 42_000, to: T + 42_000 }]);
    expect(bars[0]).toMatchObject({ to: T + 42_000, isOpen: true });
  });

  it('does not join runs of which nobody knows the fire time', () => {
    const old = { fireTime: null, origin: null };
    expect(timelineOf({ runs: [runOf('a', 1, 0, 1, old), runOf('b', 1, 2, 3, old)], now: NOW }).joins).toEqual([]);
  });

  it('draws each attempt, the last one with the outcome of the run', () => {
    const attempts = new Map([
      [
        'a',
        [
          { attempt: 1, startedAt: iso(0), endedAt: iso(10), error: 'x' },
          { attempt: 2, startedAt: iso(12), endedAt: null, error: null },
        ],
      ],
    ]);
    const { bars } = timelineOf({ runs: [runOf('a', 0, 0, 20, { attempts: 2 })], attempts, now: NOW });
    expect(bars.map(({ isEarlier, outcome, to }) => [outcome, isEarlier, (to - T) / 1_000])).toEqual([
      ['failed', true, 10],
      ['succeeded', false, 20],
    ]);
  });

  it('draws a crash in its window as a band that ends when it was noticed', () => {
    const crash = (at: number) => ({
      id: 'e',
      at: iso(at),
      kind: 'resharded',
      job: 'settle-orders',
      items: null,
      fireTime: null,
      instance: 'leader',
      facts: { cause: 'crashed', moves: { 0: { from: '10.0.3.12@-@7', to: 'leader' } } },
    });
    const { bands } = timelineOf({ runs: [runOf('a', 0, 0, 60)], crashes: [crash(40), crash(900)], now: NOW });
    expect(bands).toEqual([{ from: T + 39_000, to: T + 40_000, instance: '10.0.3.12@-@7' }]);
  });

  it('keeps bars within its window', () => {
    const [bar] = timelineOf({ runs: [runOf('a', 0, 0, 900)], from: T + 60_000, to: T + 120_000, now: NOW }).bars;
    expect(bar).toMatchObject({ from: T + 60_000, to: T + 120_000 });
  });

  it('spans its runs once all have ended, however long ago', () => {
    const runs = [runOf('a', 0, 0, 10), runOf('b', 1, 2, 30)];
    expect(timelineOf({ runs, now: 0 })).toMatchObject({ from: T, to: T + 30_000 });
  });

  it('is there without a run', () => {
    expect(timelineOf({ runs: [], now: NOW })).toMatchObject({ rows: [], bars: [] });
  });
});

describe('a bar', () => {
  const { bars } = timelineOf({
    runs: [runOf('a', 0, 0, 10), runOf('b', 0, 20, 30, { fireTime: iso(20) }), runOf('c', 1, 22, 25)],
    now: NOW,
  });
  const [a, b, c] = bars;

  it('is found where it lies, and near it', () => {
    expect(barAt(bars, 0, T + 5_000, 0)).toBe(a);
    expect(barAt(bars, 0, T + 10_500, 600)).toBe(a);
    expect(barAt(bars, 1, T + 5_000, 0)).toBeUndefined();
  });

  it('is left by keys for the next in its row, and for the nearest in others', () => {
    expect(barAfter(bars, a!, 'ArrowRight')).toBe(b);
    expect(barAfter(bars, b!, 'ArrowRight')).toBe(b);
    expect(barAfter(bars, c!, 'ArrowUp')).toBe(b);
    expect(barAfter(bars, a!, 'ArrowUp')).toBe(a);
    expect(barAfter(bars, a!, 'x')).toBeUndefined();
  });
});
