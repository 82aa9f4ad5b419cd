import { type RawBuilder, sql } from 'kysely';
import type { JobName } from '../../../domain/index.js';
import type { JobPulse } from '../../job-history.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { StoredNumber } from '../own-row.js';
import type { TraceDb } from '../trace-row.js';
import { type Condition, isText } from './paged-scan.js';
import { IS_PASSED } from './run-rows.js';

/** Most jobs of a statement; SQLite takes 500 parts. */
const MOST_PARTS = 100;
const DAY_MS = 86_400_000;
/** Most failed runs of a job that are looked at for items that fail, the newest ones. */
const MOST_FAILED = 500;
/** Most runs of a job for the percentile of its durations, the newest ones. */
const MOST_DURATIONS = 500;
const LEAST_DURATIONS = 20;

const RUN = sql.table('elasticJobRun');
const column = (name: string) => sql.ref(name);

interface Failing {
  readonly jobName: string;
  readonly shardingItem: number;
}

/** How jobs have done lately. A statement reads a hundred jobs, each by a few steps in an index. */
export class PulseReader {
  constructor(private readonly dialect: TraceDialect) {}

  async pulses(db: TraceDb, jobNames: readonly JobName[], fireTimes: number): Promise<readonly JobPulse[]> {
    const latest = await this.each<{ jobName: string; fireTime: StoredNumber }>(db, jobNames, (is) =>
      lastTimes(is, fireTimes),
    );
    const oldest = new Map(latest.map(({ fireTime, jobName }) => [jobName, Number(fireTime)]));
    for (const { fireTime, jobName } of latest) oldest.set(jobName, Math.min(oldest.get(jobName)!, Number(fireTime)));
    const there = [...oldest.keys()];
    const columns = await this.each<ColumnRow>(db, there, (is, job) => countsSince(is, oldest.get(job)!));
    const good = await this.each<{ jobName: string; at: StoredNumber | null }>(db, there, lastGood);
    const slow = await this.each<{ jobName: string; ms: StoredNumber }>(db, there, p95Duration);
    const failing = await this.each<Failing>(db, there, failingItems);
    const since = await this.failedSince(db, failing);
    return there.map((jobName) => ({
      jobName,
      fireTimes: columns
        .filter((row) => row.jobName === jobName)
        .map(({ failed, fireTime, running, succeeded }) => ({
          fireTime: Number(fireTime),
          succeeded: Number(succeeded),
          failed: Number(failed),
          running: Number(running),
        }))
        .toSorted((a, b) => a.fireTime - b.fireTime),
      lastGoodAt: numberOf(good.find((row) => row.jobName === jobName)?.at),
      failedSince: since.get(jobName),
      p95DurationMs: numberOf(slow.find((row) => row.jobName === jobName)?.ms),
    }));
  }

  /** The end of each job's earliest failed run since which its item has not succeeded. */
  private async failedSince(db: TraceDb, failing: readonly Failing[]): Promise<ReadonlyMap<string, number>> {
    const earliest = new Map<string, number>();
    for (let from = 0; from < failing.length; from += MOST_PARTS) {
      const parts = failing
        .slice(from, from + MOST_PARTS)
        .map(({ jobName, shardingItem }) =>
          firstFailed(sql`${isText(this.dialect, 'jobName', jobName)} and ${column('shardingItem')} = ${shardingItem}`),
        );
      for (const { at, jobName } of await together<{ jobName: string; at: StoredNumber }>(db, parts)) {
        earliest.set(jobName, Math.min(earliest.get(jobName) ?? Infinity, Number(at)));
      }
    }
    return earliest;
  }

  /** Rows of a query for each of the jobs. */
  private async each<Row>(
    db: TraceDb,
    jobNames: readonly JobName[],
    query: (isOfJob: Condition, jobName: JobName) => RawBuilder<unknown>,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    for (let from = 0; from < jobNames.length; from += MOST_PARTS) {
      const parts = jobNames.slice(from, from + MOST_PARTS);
      rows.push(
        ...(await together<Row>(
          db,
          parts.map((job) => query(isText(this.dialect, 'jobName', job), job)),
        )),
      );
    }
    return rows;
  }
}

interface ColumnRow {
  readonly jobName: string;
  readonly fireTime: StoredNumber;
  readonly succeeded: StoredNumber;
  readonly failed: StoredNumber;
  readonly running: StoredNumber;
}

async function together<Row>(db: TraceDb, parts: readonly RawBuilder<unknown>[]): Promise<readonly Row[]> {
  if (parts.length === 0) return [];
  const each = parts.map((part) => sql`select * from (${part}) as ${column('one')}`);
  return (await sql<Row>`${sql.join(each, sql` union all `)}`.execute(db)).rows;
}

/** Runs of a resident job have no fire times: each begins when the one before it has ended. */
const IS_TIMED: Condition = sql`${column('fireTime')} is not null and ${column('origin')} <> 'resident'`;

function lastTimes(isOfJob: Condition, count: number) {
  return sql`select ${column('jobName')}, ${column('fireTime')} from ${RUN}
    where ${isOfJob} and ${column('fireTime')} is not null
    group by ${column('jobName')}, ${column('fireTime')}
    order by ${column('fireTime')} desc limit ${sql.lit(count)}`;
}

/** Each item counts once: as its best run. */
function countsSince(isOfJob: Condition, fireTime: number) {
  const best = sql`max(case when ${column('outcome')} = 'succeeded' then 3
    when ${column('outcome')} is null then case when ${IS_PASSED} then 0 else 2 end
    when ${column('outcome')} = 'failed' then 1 else 0 end)`;
  const count = (rank: number) => sql`sum(case when ${column('best')} = ${sql.lit(rank)} then 1 else 0 end)`;
  return sql`select ${column('jobName')}, ${column('fireTime')}, ${count(3)} as ${column('succeeded')},
      ${count(2)} as ${column('running')}, ${count(1)} as ${column('failed')}
    from (
      select ${column('jobName')}, ${column('fireTime')}, ${best} as ${column('best')} from ${RUN}
      where ${isOfJob} and ${column('fireTime')} >= ${fireTime} and ${IS_TIMED}
      group by ${column('jobName')}, ${column('fireTime')}, ${column('shardingItem')}
    ) as ${column('items')}
    group by ${column('jobName')}, ${column('fireTime')}`;
}

function lastGood(isOfJob: Condition) {
  return sql`select ${column('jobName')}, ${column('settledAt')} as ${column('at')} from ${RUN}
    where ${isOfJob} and ${column('outcome')} = 'succeeded' order by ${column('begunAt')} desc limit 1`;
}

/** Within a day of the job's latest run. */
function p95Duration(isOfJob: Condition) {
  const duration = sql`${column('settledAt')} - ${column('begunAt')}`;
  const newest = sql`(select max(${column('begunAt')}) from ${RUN} where ${isOfJob})`;
  return sql`select ${column('jobName')}, ${column('ms')} from (
      select ${column('jobName')}, ${column('ms')}, row_number() over (order by ${column('ms')}) as ${column('place')},
        count(*) over () as ${column('amount')}
      from (
        select ${column('jobName')}, ${duration} as ${column('ms')} from ${RUN}
        where ${isOfJob} and ${column('settledAt')} is not null
          and ${column('begunAt')} > ${newest} - ${sql.lit(DAY_MS)}
        order by ${column('begunAt')} desc limit ${sql.lit(MOST_DURATIONS)}
      ) as ${column('runs')}
    ) as ${column('places')}
    where ${column('amount')} >= ${sql.lit(LEAST_DURATIONS)} and ${column('place')} * 100 >= ${column('amount')} * 95
    order by ${column('place')} limit 1`;
}

/** Items whose latest failed run has no later one that has succeeded. */
function failingItems(isOfJob: Condition) {
  return sql`select ${column('jobName')}, ${column('shardingItem')} from (
      select ${column('jobName')}, ${column('shardingItem')}, max(${column('begunAt')}) as ${column('lastFailed')}
      from (
        select ${column('jobName')}, ${column('shardingItem')}, ${column('begunAt')} from ${RUN}
        where ${isOfJob} and ${column('outcome')} = 'failed'
        order by ${column('begunAt')} desc limit ${sql.lit(MOST_FAILED)}
      ) as ${column('runs')}
      group by ${column('jobName')}, ${column('shardingItem')}
    ) as ${column('items')}
    where not exists (
      select 1 from ${RUN} as ${column('good')}
      where ${column('good.jobName')} = ${column('items.jobName')}
        and ${column('good.shardingItem')} = ${column('items.shardingItem')}
        and ${column('good.begunAt')} > ${column('items.lastFailed')} and ${column('good.outcome')} = 'succeeded'
    )`;
}

function firstFailed(isOfItem: Condition) {
  const lastGoodBegun = sql`(select ${column('begunAt')} from ${RUN}
    where ${isOfItem} and ${column('outcome')} = 'succeeded' order by ${column('begunAt')} desc limit 1)`;
  return sql`select ${column('jobName')}, ${column('settledAt')} as ${column('at')} from ${RUN}
    where ${isOfItem} and ${column('outcome')} = 'failed' and ${column('begunAt')} > coalesce(${lastGoodBegun}, 0)
    order by ${column('begunAt')} limit 1`;
}

function numberOf(value: StoredNumber | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
