import { type Selectable, sql } from 'kysely';
import type { StatisticsBucket, StatisticsQuery } from '../../job-history.js';
import { addHistogram, percentilesOf, percentilesOfHistogram } from '../../percentiles.js';
import { ALL_JOBS } from '../own-row.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { TraceDatabase, TraceDb } from '../trace-row.js';
import { all, begins, type Condition, floorOf, isText, type TimedTable, within } from './paged-scan.js';
import { OWN_RUNS } from './run-rows.js';

/** Time that a row of sums covers. */
const TEN_MINUTES = 600_000;
/** Most rows that are read. Buckets before the oldest of them are left out, if there are more. */
const MOST_ROWS = 20_000;
const SUMS: TimedTable = { table: 'elasticJobStat', time: 'sinceAt', value: (ms) => ms, instant: Number };

/** Buckets of equal length. */
interface Grid {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/**
 * Counts and percentiles by buckets: of the sums of ten minutes where these fit, and of single runs for finer buckets
 * and where there are no sums.
 */
export class StatisticsReader {
  constructor(private readonly dialect: TraceDialect) {}

  async statistics(db: TraceDb, query: StatisticsQuery): Promise<readonly StatisticsBucket[]> {
    const { buckets = 60, from, to } = query;
    if (from >= to) return [];
    const width = Math.ceil((to - from) / buckets);
    if (width < TEN_MINUTES) {
      const found = await this.ofRuns(db, query, { from, to, width });
      if (found.isWhole) return found.buckets;
    }
    const coarse = Math.ceil(width / TEN_MINUTES) * TEN_MINUTES;
    const start = Math.floor(from / TEN_MINUTES) * TEN_MINUTES;
    const grid = { from: start, to, width: coarse };
    const sums = (await this.ofAllJobs(db, query, grid)) ?? (await this.ofSums(db, this.jobs(query), grid));
    return sums ?? (await this.ofRuns(db, query, { from, to, width })).buckets;
  }

  /** Undefined if the query is about some jobs, or no writer has summed up all of its jobs. */
  private async ofAllJobs(db: TraceDb, { jobName, jobPrefix }: StatisticsQuery, grid: Grid) {
    if (jobName !== undefined || jobPrefix !== undefined) return undefined;
    return this.ofSums(db, [isText(this.dialect, 'jobName', ALL_JOBS)], grid);
  }

  /** Undefined if there are no sums. */
  private async ofSums(db: TraceDb, jobs: readonly Condition[], grid: Grid): Promise<StatisticsBucket[] | undefined> {
    const conditions = [...jobs, ...within(SUMS, grid)];
    const floor = await floorOf(db, SUMS, conditions, MOST_ROWS);
    const rows = await db
      .selectFrom('elasticJobStat')
      .select(['sinceAt', 'succeeded', 'failed', 'aborted', 'longestMs', 'latestMs', 'durations', 'latenesses'])
      .where(all([...conditions, ...within(SUMS, { from: floor })]))
      .execute();
    if (rows.length === 0) return undefined;
    return bucketsOf(grid, floor, rows, ({ sinceAt }) => Number(sinceAt), sumsOf);
  }

  private async ofRuns(db: TraceDb, query: StatisticsQuery, grid: Grid) {
    // A run counts in the bucket in which it has begun.
    const conditions = [...this.jobs(query), ...within(OWN_RUNS, grid)];
    const floor = await floorOf(db, OWN_RUNS, conditions, MOST_ROWS);
    const rows = await db
      .selectFrom('elasticJobRun')
      .select(['outcome', 'begunAt', 'settledAt', 'latenessMs'])
      .where(all([...conditions, ...within(OWN_RUNS, { from: floor })]))
      .execute();
    const buckets = bucketsOf(grid, floor, rows, ({ begunAt }) => Number(begunAt), countsOf);
    return { buckets, isWhole: floor === undefined };
  }

  private jobs({ jobName, jobPrefix }: StatisticsQuery): Condition[] {
    const conditions: Condition[] = [sql`${sql.ref('jobName')} <> ${ALL_JOBS}`];
    if (jobName !== undefined) conditions.push(isText(this.dialect, 'jobName', jobName));
    if (jobPrefix !== undefined) conditions.push(begins(this.dialect, 'jobName', jobPrefix));
    return conditions;
  }
}

type Counts = Omit<StatisticsBucket, 'from' | 'to'>;

/** @param floor rows before it were not read, so buckets that begin before it are left out */
function bucketsOf<Row>(
  { from, to, width }: Grid,
  floor: number | undefined,
  rows: readonly Row[],
  timeOf: (row: Row) => number,
  counted: (rows: readonly Row[]) => Counts,
): StatisticsBucket[] {
  const buckets = Array.from({ length: Math.ceil((to - from) / width) }, (): Row[] => []);
  for (const row of rows) buckets[Math.floor((timeOf(row) - from) / width)]?.push(row);
  return buckets.flatMap((found, index) => {
    const start = from + index * width;
    if (floor !== undefined && start < floor) return [];
    return [{ from: start, to: start + width, ...counted(found) }];
  });
}

type SumRow = Omit<
  Selectable<TraceDatabase['elasticJobStat']>,
  'id' | 'jobName' | 'writer' | 'retried' | 'failedOver' | 'missed' | 'durationMs'
>;

function sumsOf(rows: readonly SumRow[]): Counts {
  const sum = { succeeded: 0, failed: 0, aborted: 0, longestMs: 0, latestMs: 0 };
  const [durations, latenesses] = [new Map<number, number>(), new Map<number, number>()];
  for (const row of rows) {
    sum.succeeded += row.succeeded;
    sum.failed += row.failed;
    sum.aborted += row.aborted;
    sum.longestMs = Math.max(sum.longestMs, Number(row.longestMs));
    sum.latestMs = Math.max(sum.latestMs, Number(row.latestMs));
    addHistogram(durations, row.durations);
    addHistogram(latenesses, row.latenesses);
  }
  const { aborted, failed, latestMs, longestMs, succeeded } = sum;
  const [duration, lateness] = [
    percentilesOfHistogram(durations, longestMs),
    percentilesOfHistogram(latenesses, latestMs),
  ];
  return { succeeded, failed, aborted, duration, lateness };
}

type RunRow = Pick<Selectable<TraceDatabase['elasticJobRun']>, 'begunAt' | 'latenessMs' | 'outcome' | 'settledAt'>;

function countsOf(rows: readonly RunRow[]): Counts {
  const ended = rows.filter(({ settledAt }) => settledAt !== null);
  const count = (...outcomes: readonly (string | null)[]) =>
    rows.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    succeeded: count('succeeded'),
    failed: count('failed'),
    // A run that has lost its lease did not end by its own work either.
    aborted: count('aborted', 'fenced'),
    duration: percentilesOf(ended.map(({ begunAt, settledAt }) => Number(settledAt) - Number(begunAt))),
    lateness: percentilesOf(ended.flatMap(({ latenessMs }) => (latenessMs === null ? [] : [Number(latenessMs)]))),
  };
}
