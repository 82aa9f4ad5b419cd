import type { Insertable, Kysely } from 'kysely';
import { dialectOf, traceDialect } from '../../../libs/elastic-job/src/tracing/sql/trace-dialect.js';
import { asTraceDb, type TraceDatabase } from '../../../libs/elastic-job/src/tracing/sql/trace-row.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const NOON = Date.UTC(2030, 0, 1, 12);
export const JOB = 'settle-orders';
export const INSTANCE = '10.0.0.1@-@17-s1';

type Tables = { readonly [Table in keyof TraceDatabase]: Insertable<TraceDatabase[Table]> };
type Row<Table extends keyof Tables> = Partial<Tables[Table]>;

/** Rows of one statement, as many as every database takes. */
const MOST_ROWS = 500;

/** Writes rows into the tables of a history as its writers do, each with what a test leaves out. */
export class PlantedHistory {
  private rows = 0;

  constructor(private readonly db: Kysely<unknown>) {}

  /** Runs of our own table alone: what a test says of them, else one that has succeeded within a second. */
  async runs(...runs: readonly Row<'elasticJobRun'>[]): Promise<string[]> {
    const rows = runs.map((run): Tables['elasticJobRun'] => {
      const { begunAt = NOON, outcome = 'succeeded' } = run;
      const end = outcome === null ? null : Number(begunAt) + 1_000;
      return {
        id: this.id('run'),
        jobName: JOB,
        shardingItem: 0,
        fireTime: begunAt,
        origin: 'schedule',
        source: 'NORMAL_TRIGGER',
        outcome,
        cause: null,
        run: null,
        token: null,
        epoch: null,
        instance: INSTANCE,
        version: null,
        taskId: `${JOB}@-@0@-@READY@-@${INSTANCE}`,
        launch: null,
        begunAt,
        startedAt: begunAt,
        settledAt: end,
        latenessMs: 5,
        attempts: 1,
        ...run,
      };
    });
    await this.insert('elasticJobRun', rows);
    return rows.map(({ id }) => id);
  }

  /** Runs that ElasticJob's table alone has, as Java and a release before write them, or the twins of ours. */
  async logged(
    ...runs: readonly (Row<'jobExecutionLog'> & { readonly at?: number; readonly endsAt?: number | null })[]
  ): Promise<string[]> {
    const dialect = traceDialect(dialectOf(this.db)!);
    const rows = runs.map(({ at = NOON, endsAt = at + 1_000, isSuccess = true, ...run }) => ({
      id: this.id('java'),
      jobName: JOB,
      taskId: `${JOB}@-@0@-@READY@-@10.0.0.9@-@4711`,
      hostname: 'host',
      ip: '10.0.0.9',
      shardingItem: 0,
      executionSource: 'NORMAL_TRIGGER',
      failureCause: null,
      isSuccess: dialect.flag(isSuccess === true && endsAt !== null),
      startTime: dialect.time(at),
      completeTime: endsAt === null ? null : dialect.time(endsAt),
      ...run,
    }));
    await this.insert('jobExecutionLog', rows);
    return rows.map(({ id }) => id);
  }

  async events(...events: readonly (Row<'elasticJobEvent'> & { readonly kind: string })[]): Promise<string[]> {
    const rows = events.map((event) => ({
      id: this.id('event'),
      jobName: JOB,
      toldAt: NOON,
      items: null,
      fireTime: null,
      sinceAt: null,
      instance: INSTANCE,
      detail: '{}',
      ...event,
    }));
    await this.insert('elasticJobEvent', rows);
    return rows.map(({ id }) => id);
  }

  async attempts(...attempts: readonly (Row<'elasticJobAttempt'> & { readonly runId: string })[]): Promise<void> {
    const rows = attempts.map((attempt) => ({
      id: `${attempt.runId}-${attempt.attempt ?? 1}`,
      jobName: JOB,
      shardingItem: 0,
      attempt: 1,
      startedAt: NOON,
      endedAt: null,
      error: null,
      ...attempt,
    }));
    await this.insert('elasticJobAttempt', rows);
  }

  async sums(...sums: readonly Row<'elasticJobStat'>[]): Promise<void> {
    const rows = sums.map((sum) => ({
      id: this.id('sum'),
      jobName: JOB,
      writer: INSTANCE,
      sinceAt: NOON,
      succeeded: 0,
      failed: 0,
      aborted: 0,
      retried: 0,
      failedOver: 0,
      missed: 0,
      durationMs: 0,
      longestMs: 0,
      latestMs: 0,
      durations: '{}',
      latenesses: '{}',
      ...sum,
    }));
    await this.insert('elasticJobStat', rows);
  }

  /** Ids ascend as those of the writers do. */
  private id(prefix: string): string {
    return `${prefix}-${String((this.rows += 1)).padStart(8, '0')}`;
  }

  private async insert(table: keyof Tables, rows: readonly object[]): Promise<void> {
    const db = asTraceDb(this.db).withPlugin(traceDialect(dialectOf(this.db)!).names);
    for (let from = 0; from < rows.length; from += MOST_ROWS) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the methods above make rows of their table
      const some = rows.slice(from, from + MOST_ROWS) as never;
      await db.insertInto(table).values(some).execute();
    }
  }
}
