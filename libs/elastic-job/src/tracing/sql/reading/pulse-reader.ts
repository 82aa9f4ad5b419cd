import { type RawBuilder, sql } from 'kysely';
import type { JobName } from '../../../domain/index.js';
import type { JobPulse } from '../../job-history.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { StoredNumber } from '../own-row.js';
import type { TraceDb } from '../trace-row.js';
import { type Condition, isText } from './paged-scan.js';

/** Most jobs of a statement; SQLite takes 500 parts. */
const MOST_PARTS = 100;
const DAY_MS = 86_400_000;
/** Most runs of a job for the percentile of its durations, the newest ones. */
const MOST_DURATIONS = 500;
const LEAST_DURATIONS = 20;

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
    const spans = new Map<string, Span>();
    for (const { fireTime, jobName } of latest) {
      const { first = Infinity, last = 0 } = spans.get(jobName) ?? {};
      spans.set(jobName, { first: Math.min(first, Number(fireTime)), last: Math.max(last, Number(fireTime)) });
    }
    const there = [...spans.keys()];
    const columns = await this.each<ColumnRow>(db, there, (is, job) => countsSince(is, spans.get(job)!.first));
    const lately = await this.each<EndRow>(db, there, (is, job) => lastGood(is, spans.get(job)!.first));
    const others = there.filter((job) => !lately.some(({ jobName }) => jobName === job));
    const good = [...lately, ...(await this.each<EndRow>(db, others, (is) => lastGood(is, 0)))];
    const slow = await this.each<{ jobName: string; ms: StoredNumber }>(db, there, (is, job) =>
      p95Duration(is, spans.get(job)!.last - DAY_MS),
    );
    const since = await this.failedSince(
      db,
      await this.each<Failing>(db, there, (is, job) => failingItems(is, spans.get(job)!.first)),
    );
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
      lastGoodAt: numberOf(good.find((row) => row.jobName === jobName)?.endedAt),
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
          firstFailed(sql`${isText(this.dialect, 'jobName', jobName)} and sharding_item = ${shardingItem}`),
        );
      for (const { endedAt, jobName } of await together<EndRow>(db, parts)) {
        earliest.set(jobName, Math.min(earliest.get(jobName) ?? Infinity, Number(endedAt)));
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

/** The end of a run. */
interface EndRow {
  readonly jobName: string;
  readonly endedAt: StoredNumber | null;
}

/** The first and the last of a job's fire times. */
interface Span {
  readonly first: number;
  readonly last: number;
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
  const each = parts.map((part) => sql`select * from (${part}) one`);
  return (await sql<Row>`${sql.join(each, sql` union all `)}`.execute(db)).rows;
}

// Names are written out, since a hundred parts have thousands of them, which would each be turned into a name.

function lastTimes(isOfJob: Condition, count: number) {
  return sql`select distinct job_name, fire_time from ELASTIC_JOB_RUN where ${isOfJob} and fire_time is not null
    order by fire_time desc limit ${sql.lit(count)}`;
}

/** Each item counts once: as its best run. One without an end runs if the item has no later run. */
function countsSince(isOfJob: Condition, fireTime: number) {
  return sql`select job_name, fire_time, sum(case when best = 3 then 1 else 0 end) succeeded,
      sum(case when best = 2 then 1 else 0 end) running, sum(case when best = 1 then 1 else 0 end) failed
    from (
      select job_name, fire_time, max(standing) best from (
        select job_name, fire_time, sharding_item, case
            when outcome = 'succeeded' then 3
            when outcome = 'failed' then 1
            when outcome is null
              and lead(begun_at) over (partition by job_name, sharding_item order by begun_at) is null then 2
            else 0 end standing
        from ELASTIC_JOB_RUN where ${isOfJob} and fire_time >= ${fireTime} and origin <> 'resident'
      ) runs group by job_name, fire_time, sharding_item
    ) items group by job_name, fire_time`;
}

/** @param from bounds the search for most jobs: without a bound MariaDB may go through the runs of all jobs */
function lastGood(isOfJob: Condition, from: number) {
  return sql`select job_name, settled_at ended_at from ELASTIC_JOB_RUN
    where ${isOfJob} and begun_at >= ${from} and outcome = 'succeeded' order by begun_at desc limit 1`;
}

/** @param from a number: PostgreSQL takes a subquery's for a small one, and compiles the statement for seconds */
function p95Duration(isOfJob: Condition, from: number) {
  return sql`select job_name, ms from (
      select job_name, ms, row_number() over (order by ms) place, count(*) over () amount from (
        select job_name, settled_at - begun_at ms from ELASTIC_JOB_RUN
        where ${isOfJob} and settled_at is not null and begun_at > ${from}
        order by begun_at desc limit ${sql.lit(MOST_DURATIONS)}
      ) runs
    ) places where amount >= ${sql.lit(LEAST_DURATIONS)} and place * 100 >= amount * 95 order by place limit 1`;
}

/** Items whose latest run that has ended, of these fire times, has not succeeded. A re-run of an older one may have. */
function failingItems(isOfJob: Condition, fireTime: number) {
  return sql`select job_name, sharding_item from (
      select job_name, sharding_item, outcome,
        row_number() over (partition by job_name, sharding_item order by begun_at desc) place
      from ELASTIC_JOB_RUN where ${isOfJob} and fire_time >= ${fireTime} and outcome is not null
    ) runs where place = 1 and outcome <> 'succeeded'`;
}

function firstFailed(isOfItem: Condition) {
  const lastGoodBegin = sql`(select begun_at from ELASTIC_JOB_RUN
    where ${isOfItem} and outcome = 'succeeded' order by begun_at desc limit 1)`;
  return sql`select job_name, settled_at ended_at from ELASTIC_JOB_RUN
    where ${isOfItem} and outcome = 'failed' and begun_at > coalesce(${lastGoodBegin}, 0)
    order by begun_at limit 1`;
}

function numberOf(value: StoredNumber | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
