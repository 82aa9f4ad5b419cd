/**
 * The timeline: a row for each item, a bar for each run, and for each attempt of those runs whose attempts were read.
 * Runs of one target are joined by a line: the second one is a failover. A crash is a band across all rows.
 */
import type {
  AttemptAnswer,
  EventRow,
  RunOutcomeAnswer,
  RunRow,
} from '../../../src/console/contract/history-answers.js';
import { crashedOf } from './event-facts.js';

export interface Bar {
  readonly run: RunRow;
  readonly row: number;
  /** Milliseconds since the epoch, within the window. */
  readonly from: number;
  readonly to: number;
  readonly outcome: RunOutcomeAnswer;
  /** True for an attempt that was not the last one of its run. */
  readonly isEarlier: boolean;
  /** True if nobody knows when it has ended: it is drawn up to the next run of the item. */
  readonly isOpen: boolean;
}

/** A line from the end of a run to the begin of the one that has taken its target over. */
interface Join {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

interface Band {
  readonly from: number;
  readonly to: number;
  /** The instance that is gone. */
  readonly instance: string;
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  /** Items with a run, ascending. A list of several jobs has rows of several jobs. */
  readonly rows: readonly number[];
  /** By row, then by time. */
  readonly bars: readonly Bar[];
  readonly joins: readonly Join[];
  readonly bands: readonly Band[];
}

interface Given {
  readonly runs: readonly RunRow[];
  /** By id of the run. */
  readonly attempts?: ReadonlyMap<string, readonly AttemptAnswer[]>;
  readonly crashes?: readonly EventRow[];
  /** Milliseconds since the epoch; the window is that of the runs without them. */
  readonly from?: number;
  readonly to?: number;
  readonly now: number;
}

/** Width of the band of a crash whose length nobody knows. */
const BAND_MS = 1_000;

export function timelineOf({ attempts = new Map(), crashes = [], now, runs, ...window }: Given): Timeline {
  const byItem = new Map<number, RunRow[]>();
  for (const run of runs.toSorted((a, b) => (a.begunAt < b.begunAt ? -1 : 1))) {
    const own = byItem.get(run.item);
    if (own === undefined) byItem.set(run.item, [run]);
    else own.push(run);
  }
  const rows = [...byItem.keys()].toSorted((a, b) => a - b);
  const ends = runs.map((run) => endOf(run, undefined, now));
  const begins = runs.length === 0 ? [now] : runs.map(({ begunAt }) => Date.parse(begunAt));
  const from = window.from ?? Math.min(...begins);
  const to = Math.max(from + 1, window.to ?? (runs.length === 0 ? now : Math.max(...ends)));
  const within = (at: number) => Math.max(from, Math.min(to, at));
  const bars: Bar[] = [];
  const joins: Join[] = [];
  for (const [row, item] of rows.entries()) {
    const own = byItem.get(item)!;
    for (const [index, run] of own.entries()) {
      const next = own[index + 1];
      bars.push(...barsOf(run, { row, end: endOf(run, next, now), attempts: attempts.get(run.id) ?? [], within }));
      if (next !== undefined && isFailover(run, next)) {
        joins.push({ row, from: within(endOf(run, next, now)), to: within(Date.parse(next.begunAt)) });
      }
    }
  }
  return { from, to, rows, bars, joins, bands: bandsOf(crashes, { from, to }) };
}

/** True if the second run has taken the target of the first one over. */
function isFailover(first: RunRow, second: RunRow): boolean {
  return first.fireTime !== null && first.fireTime === second.fireTime && first.origin === second.origin;
}

interface Room {
  readonly row: number;
  readonly end: number;
  readonly attempts: readonly AttemptAnswer[];
  readonly within: (at: number) => number;
}

function barsOf(run: RunRow, { attempts, end, row, within }: Room): readonly Bar[] {
  const isOpen = run.settledAt === null;
  const whole = { run, row, from: within(Date.parse(run.begunAt)), to: within(end), isOpen };
  if (attempts.length < 2) return [{ ...whole, outcome: run.outcome, isEarlier: false }];
  return attempts.map(({ endedAt, startedAt }, index) => {
    const isLast = index === attempts.length - 1;
    const next = attempts[index + 1];
    const ended = endedAt ?? (next === undefined ? undefined : next.startedAt);
    return {
      ...whole,
      from: within(Date.parse(startedAt)),
      to: within(ended === undefined ? end : Date.parse(ended)),
      outcome: isLast ? run.outcome : 'failed',
      isEarlier: !isLast,
      isOpen: isLast && isOpen,
    };
  });
}

/** A run whose end nobody knows is drawn up to the next one of its item, or up to now if it may still run. */
function endOf({ begunAt, outcome, settledAt }: RunRow, next: RunRow | undefined, now: number): number {
  if (settledAt !== null) return Date.parse(settledAt);
  if (next !== undefined) return Date.parse(next.begunAt);
  return outcome === 'running' ? now : Date.parse(begunAt);
}

function bandsOf(crashes: readonly EventRow[], { from, to }: Pick<Timeline, 'from' | 'to'>): readonly Band[] {
  return crashes.flatMap((event) => {
    const end = Date.parse(event.at);
    // The leader tells it, whose own id the event has as well.
    return crashedOf(event)
      .filter(() => end >= from && end <= to)
      .map((instance) => ({ from: Math.max(from, end - BAND_MS), to: end, instance }));
  });
}

/** The bar at a place; the last one of those that lie there, as it is drawn. @param at milliseconds since the epoch */
export function barAt(bars: readonly Bar[], row: number, at: number, slackMs: number): Bar | undefined {
  return bars.findLast(
    (bar) => bar.row === row && at >= bar.from - slackMs && at <= Math.max(bar.to, bar.from) + slackMs,
  );
}

/** The bar to which a key moves: in its row by time, in another row to the nearest in time. */
export function barAfter(bars: readonly Bar[], bar: Bar, key: string): Bar | undefined {
  const index = bars.indexOf(bar);
  switch (key) {
    case 'ArrowLeft':
      return bars[index - 1]?.row === bar.row ? bars[index - 1] : bar;
    case 'ArrowRight':
      return bars[index + 1]?.row === bar.row ? bars[index + 1] : bar;
    case 'ArrowUp':
      return nearest(bars, bar, bar.row - 1);
    case 'ArrowDown':
      return nearest(bars, bar, bar.row + 1);
    case 'Home':
      return bars[0];
    case 'End':
      return bars.at(-1);
    default:
      return undefined;
  }
}

function nearest(bars: readonly Bar[], { from, ...bar }: Bar, row: number): Bar | undefined {
  let best: Bar | undefined;
  for (const one of bars) {
    if (one.row !== row) continue;
    if (best === undefined || Math.abs(one.from - from) < Math.abs(best.from - from)) best = one;
  }
  return best ?? bars.find((one) => one.row === bar.row && one.from === from);
}
