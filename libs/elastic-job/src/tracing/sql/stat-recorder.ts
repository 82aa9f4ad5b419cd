import type { Clock } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import type { EventOf } from '../job-event.catalogue.js';
import type { JobEvent } from '../job-event.js';
import { ALL_JOBS, type RunRow, type StatRow } from './own-row.js';
import { type RowSource, WIDTH } from './row-source.js';
import { fitting, type TraceRow } from './trace-row.js';

/** Span of time that one row sums up, in milliseconds. */
const SPAN_MS = 600_000;
/** Least time between two versions of a row, in milliseconds. A crash loses the last of it. */
export const SUM_PAUSE_MS = 5_000;
/** Width of a bucket: the largest of its values is so many times the smallest. */
const RATIO = Math.log(1.05);
/** Number of the last bucket, which has all values from 60 days on. */
const LAST_BUCKET = 460;
/** Most characters of a column with a histogram. */
const MOST_HISTOGRAM = 4_000;

type Histogram = Map<number, number>;

/** Totals of one job in one span. */
interface Sum {
  readonly id: string;
  readonly number: number;
  readonly jobName: string;
  readonly sinceAt: number;
  readonly durations: Histogram;
  readonly latenesses: Histogram;
  succeeded: number;
  failed: number;
  aborted: number;
  retried: number;
  failedOver: number;
  missed: number;
  durationMs: number;
  longestMs: number;
  latestMs: number;
}

interface StatRecorderParts {
  readonly rows: RowSource;
  readonly clock: Clock;
  readonly offer: (rows: readonly TraceRow[]) => void;
}

/**
 * Sums up what happens to each job, and to all of them, in spans of ten minutes. A row has the totals of this process
 * so far, so it may be written as often as one likes: a few seconds after a change, and at the stop.
 */
export class StatRecorder {
  private readonly sums = new Map<JobName, Sum>();
  /** Those that differ from their last rows. */
  private readonly changed = new Set<Sum>();
  private readonly ending = new AbortController();
  private isWaiting = false;

  constructor(private readonly parts: StatRecorderParts) {}

  /** @param made the rows that were made of the event */
  hear(event: JobEvent, made: readonly TraceRow[]): void {
    switch (event.kind) {
      case 'started':
        return this.started(event.trigger.jobName, made.find(isFirstCall)?.latenessMs ?? null);
      case 'settled':
        return this.settled(event);
      case 'retrying':
        return this.change(event.trigger.jobName, (sum) => (sum.retried += 1));
      case 'missed':
        return this.change(event.jobName, (sum) => (sum.missed += event.count * event.items.length));
      default:
    }
  }

  /** Offers the last versions of all rows. */
  stop(): void {
    this.ending.abort();
    this.offerChanged();
  }

  private started(jobName: JobName, latenessMs: number | null): void {
    if (latenessMs === null) return;
    const bucket = bucketOf(latenessMs);
    this.change(jobName, (sum) => {
      sum.latestMs = Math.max(sum.latestMs, latenessMs);
      count(sum.latenesses, bucket);
    });
  }

  private settled({ outcome, trigger, ...event }: EventOf<'settled'>): void {
    const durationMs = Math.round(event.durationMs);
    const bucket = bucketOf(durationMs);
    this.change(trigger.jobName, (sum) => {
      sum[outcome.kind === 'fenced' ? 'aborted' : outcome.kind] += 1;
      if (trigger.source === 'FAILOVER') sum.failedOver += 1;
      sum.durationMs += durationMs;
      sum.longestMs = Math.max(sum.longestMs, durationMs);
      count(sum.durations, bucket);
    });
  }

  private change(jobName: JobName, add: (sum: Sum) => void): void {
    add(this.sumOf(jobName));
    add(this.sumOf(ALL_JOBS));
  }

  private sumOf(jobName: JobName): Sum {
    const { rows } = this.parts;
    const now = rows.now();
    const sinceAt = now - (now % SPAN_MS);
    let sum = this.sums.get(jobName);
    if (sum === undefined || sum.sinceAt !== sinceAt) {
      sum = emptySum(rows, fitting(jobName, WIDTH.jobName), sinceAt);
      this.sums.set(jobName, sum);
    }
    this.changed.add(sum);
    if (!this.isWaiting) void this.offerLater();
    return sum;
  }

  private async offerLater(): Promise<void> {
    this.isWaiting = true;
    await this.parts.clock.sleep(SUM_PAUSE_MS, this.ending.signal).catch(() => {}); // A stop offers them itself.
    this.isWaiting = false;
    this.offerChanged();
  }

  private offerChanged(): void {
    const { offer, rows } = this.parts;
    offer([...this.changed].map((sum) => rowOf(sum, rows.instance)));
    this.changed.clear();
    // A job that rests needs no sum, and may be gone.
    const now = rows.now();
    for (const [jobName, { sinceAt }] of this.sums) if (now - sinceAt >= SPAN_MS) this.sums.delete(jobName);
  }
}

function isFirstCall(row: TraceRow): row is RunRow {
  return row.table === 'run' && row.attempts === 1;
}

function emptySum(rows: RowSource, jobName: string, sinceAt: number): Sum {
  return {
    id: rows.id(),
    number: rows.number(),
    jobName,
    sinceAt,
    durations: new Map(),
    latenesses: new Map(),
    succeeded: 0,
    failed: 0,
    aborted: 0,
    retried: 0,
    failedOver: 0,
    missed: 0,
    durationMs: 0,
    longestMs: 0,
    latestMs: 0,
  };
}

function rowOf({ durations, latenesses, ...totals }: Sum, writer: string): StatRow {
  return { table: 'stat', writer, ...totals, durations: textOf(durations), latenesses: textOf(latenesses) };
}

function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.min(LAST_BUCKET, Math.floor(Math.log(ms) / RATIO) + 1);
}

function count(histogram: Histogram, bucket: number): void {
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

/** JSON that fits its column: if it is too long, two buckets become one, which are few enough for any numbers. */
function textOf(histogram: Histogram): string {
  const text = JSON.stringify(Object.fromEntries(histogram));
  if (text.length <= MOST_HISTOGRAM) return text;
  const coarse: Histogram = new Map();
  for (const [bucket, number] of histogram) {
    const even = bucket + (bucket % 2);
    coarse.set(even, (coarse.get(even) ?? 0) + number);
  }
  return textOf(coarse);
}
