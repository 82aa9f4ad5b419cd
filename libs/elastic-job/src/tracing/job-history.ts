import type { ExecutionSource, JobName, MissedReason, TriggerOrigin } from '../domain/index.js';
import type { TracePage, TracePageQuery } from './trace-query.js';

/**
 * Outcome of a run of an item. `running`: no end is written, and no later run of the item either. `lost`: no end is
 * written, and it has none, since a later run of the item has begun: its instance has died, or its rows were dropped.
 */
export type RunOutcome = 'succeeded' | 'failed' | 'aborted' | 'fenced' | 'running' | 'lost';

/** Filter for runs of items. Times are milliseconds since the epoch. */
export interface RunFilter {
  /** @default every job */
  readonly jobName?: JobName;
  /** Only runs of these jobs, for who may see no others. @default every job */
  readonly jobPrefix?: string;
  /** Item numbers are those of one job, so give `jobName` as well. @default every item */
  readonly shardingItem?: number;
  /** Only runs for this fire time. */
  readonly fireTime?: number;
  /** `schedule`, `resident`, `manual` and `rerun` stand for all of their kind; others for one trigger or re-run. */
  readonly origin?: TriggerOrigin | 'manual' | 'rerun';
  readonly source?: ExecutionSource;
  readonly outcome?: RunOutcome;
  /** Id of an instance. */
  readonly instance?: string;
  readonly version?: string;
  /** Only runs that have begun from this instant on. */
  readonly from?: number;
  /** Only runs that have begun before this instant. */
  readonly to?: number;
}

export interface RunQuery extends RunFilter, TracePageQuery {}

/** A run of an item: one begin, with all of its attempts. Times are milliseconds since the epoch. */
export interface JobRun {
  /** That of its row in `JOB_EXECUTION_LOG`. */
  readonly id: string;
  readonly jobName: JobName;
  readonly shardingItem: number;
  /**
   * Undefined for a run that was written before the upgrade to this history, or by a Java peer: nobody knows for which
   * fire time it was. So are `origin`, `run`, `token`, `epoch`, `version`, `latenessMs` and `launch` then.
   */
  readonly fireTime: number | undefined;
  readonly origin: TriggerOrigin | undefined;
  readonly source: string;
  readonly outcome: RunOutcome;
  /** One word, such as `cancelled`, `timed-out`, or `moved` for one that was handed over; undefined without any. */
  readonly cause: string | undefined;
  /** The error or the reason, as `ExecutionTrace.failureCause` has it. */
  readonly error: string | undefined;
  /** Id of the begin, which items begun together share. */
  readonly run: string | undefined;
  readonly token: string | undefined;
  readonly epoch: number | undefined;
  /** Undefined if only its server is known, as for a Java peer's run. */
  readonly instance: string | undefined;
  readonly ip: string;
  readonly version: string | undefined;
  readonly taskId: string;
  readonly launch: number | undefined;
  readonly begunAt: number;
  readonly settledAt: number | undefined;
  /** Time between the fire time and the call of the handler; undefined if it was not called, or is never due. */
  readonly latenessMs: number | undefined;
  /** How often the handler was called. 0: it was stopped before. */
  readonly attempts: number;
}

/** A call of the handler that was not the only one of its run. */
export interface JobAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly startedAt: number;
  /** Undefined while it runs, or if its end was never written. */
  readonly endedAt: number | undefined;
  readonly error: string | undefined;
}

/** A run with what happened around it. */
export interface JobRunDetail {
  readonly run: JobRun;
  /** Empty if the handler was called once. */
  readonly attempts: readonly JobAttempt[];
  /** All runs of the same target of the item, oldest first, this one included: more than one after a failover. */
  readonly ofTarget: readonly JobRun[];
  /** The run of the item before it, and after it; undefined if there is none. */
  readonly previous: JobRun | undefined;
  readonly next: JobRun | undefined;
}

export interface EventFilter {
  readonly jobName?: JobName;
  /** Only events of these jobs, and none of the process. */
  readonly jobPrefix?: string;
  /** At most 40 kinds. @default every kind */
  readonly kinds?: readonly string[];
  /** Only events that name this item, or all items. Give `jobName` as well. */
  readonly shardingItem?: number;
  readonly instance?: string;
  readonly from?: number;
  readonly to?: number;
}

export interface EventQuery extends EventFilter, TracePageQuery {}

/** An event that was kept, redacted. */
export interface JobHistoryEvent {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  /** Undefined: it concerns no job, or not a single one. */
  readonly jobName: JobName | undefined;
  /** Ascending; undefined if it is about no item in particular. */
  readonly items: readonly number[] | undefined;
  readonly fireTime: number | undefined;
  /** The instance that has told it. */
  readonly instance: string | undefined;
  /** The other fields of the event, as JSON has them. Long lists are cut, and `{name}Cut` has their length then. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Fire times of a job that were not begun: one `missed` event. Times are milliseconds since the epoch. */
export interface MissedFireTimes {
  readonly jobName: JobName;
  readonly items: readonly number[];
  readonly since: number;
  readonly fireTime: number;
  /** 1,000 means 1,000 or more. */
  readonly count: number;
  readonly reason: MissedReason | (string & {});
  readonly at: number;
}

/**
 * Fate of an item at a fire time. `unknown`: nobody has written it, as after dropped rows, beyond the retention,
 * beside a Java peer, or while no instance lived. `disabled`: the job, the server or the item was.
 */
export type FireTimeFate = 'done' | 'failed' | 'running' | 'missed' | 'disabled' | 'unknown';

export interface FireTimesQuery {
  readonly jobName: JobName;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Items of the job today. */
  readonly shardingTotalCount: number;
  /** The first fire time of today's schedule after an instant; undefined if there is none. Leave out without one. */
  readonly nextFireTime?: (after: number) => number | undefined;
  /** The latest instant at which the schedule or the total can have changed, if no event says it: that of `config`. */
  readonly changedAt: number;
  /** Time now. */
  readonly now: number;
  /** Most fire times, the newest ones. @default 200, at most 1,000 */
  readonly limit?: number;
}

/** One fire time, of the schedule, of a start after other jobs or of a re-run, and what became of each item. */
export interface FireTimeColumn {
  readonly fireTime: number;
  /**
   * By item number; all of the array's items are known to have been items of the job then. Before `expectedFrom` there
   * may have been more.
   */
  readonly items: readonly FireTimeCell[];
  /** True if the schedule of that time says so; false: only rows tell of it. */
  readonly isExpected: boolean;
}

export interface FireTimeCell {
  readonly fate: FireTimeFate;
  /**
   * Why it was missed, has failed or is unknown, in one word. For an unknown one without a run: `recent`, `busy` (an
   * earlier run of the item goes on), `java-peers`, `rows-dropped`, `no-instance`, `not-kept` (older than all rows) or
   * `not-written`.
   */
  readonly reason?: string;
  /** Id of the run that tells it: the one that has succeeded, else the latest. */
  readonly run?: string;
  /** True if only an operator's re-run of the fire time has succeeded. */
  readonly isRerun?: boolean;
}

export interface FireTimesAnswer {
  /** Ascending. */
  readonly columns: readonly FireTimeColumn[];
  /** The instant from which today's schedule and total are known to be in force. */
  readonly expectedFrom: number;
  /** True if there were more. */
  readonly isCut: boolean;
}

/** A target that succeeded more than once. */
export interface DoubleRun {
  readonly jobName: JobName;
  readonly shardingItem: number;
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  /** Oldest first. */
  readonly runs: readonly JobRun[];
}

export interface StatisticsQuery {
  readonly jobName?: JobName;
  readonly jobPrefix?: string;
  readonly from: number;
  readonly to: number;
  /** From 1 to 200. @default 60 */
  readonly buckets?: number;
}

/**
 * Counts and percentiles of a span of time. Percentiles are within a twentieth of the true value. A span of ten minutes
 * or more begins and ends with whole ten minutes.
 */
export interface StatisticsBucket {
  readonly from: number;
  readonly to: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Those that lost their item included. */
  readonly aborted: number;
  /** Undefined if nothing has ended in the span. In milliseconds. */
  readonly duration: Percentiles | undefined;
  readonly lateness: Percentiles | undefined;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** How a job has done lately. Times are milliseconds since the epoch. */
export interface JobPulse {
  readonly jobName: JobName;
  /**
   * The latest fire times of its schedule and of all starts, ascending: how many items have ended how. Each item counts
   * once, as its best run. None of a resident job.
   */
  readonly fireTimes: readonly {
    readonly fireTime: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly running: number;
  }[];
  /** End of its latest run that has succeeded. */
  readonly lastGoodAt: number | undefined;
  /** End of the earliest failed run since which no run of that item has succeeded; undefined if no item fails. */
  readonly failedSince: number | undefined;
  /**
   * Of the newest 500 runs within a day before the job's latest fire time, in milliseconds; undefined below 20 runs.
   */
  readonly p95DurationMs: number | undefined;
}

/**
 * A history that tells fire times, attempts and events, as `SqlHistory` does. Every method rejects with
 * `ConfigurationError` for wrong and unknown options, `MissingHistoryTableError` before the tables exist, and with the
 * driver's error. The instants are milliseconds since the epoch.
 */
export interface JobHistory {
  /**
   * The newest first, by `begunAt`, in pages. A page whose filter no index serves looks at 10,000 rows of a table. So
   * it may have fewer rows than its limit, or none, and a cursor that goes on. Those of events as well.
   */
  runs(query: RunQuery): Promise<TracePage<JobRun>>;
  /** Undefined if there is no such run. */
  run(id: string): Promise<JobRunDetail | undefined>;
  /** The newest first, in pages. */
  events(query: EventQuery): Promise<TracePage<JobHistoryEvent>>;
  /** The newest first, in pages. */
  missed(query: EventFilter & TracePageQuery): Promise<TracePage<MissedFireTimes>>;
  fireTimes(query: FireTimesQuery): Promise<FireTimesAnswer>;
  /** The newest first; at most `limit` of them, among the 20,000 newest runs of the job, or of all jobs. */
  doubles(query: Omit<RunFilter, 'outcome' | 'source'> & { readonly limit?: number }): Promise<readonly DoubleRun[]>;
  /** One for each of the jobs that has any row, in no order. At most 200 jobs, `fireTimes` of 1 to 50 columns. */
  pulses(query: {
    readonly jobNames: readonly JobName[];
    /** @default 10 */
    readonly fireTimes?: number;
  }): Promise<readonly JobPulse[]>;
  /** Ascending. Spans before the 20,000 newest rows of sums, or of runs where there are no sums, are left out. */
  statistics(query: StatisticsQuery): Promise<readonly StatisticsBucket[]>;
}
