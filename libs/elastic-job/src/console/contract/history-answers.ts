/**
 * Answers of the history: runs, events, missed fire times, what became of each fire time, statistics, and
 * why an item is where it is. Times are ISO 8601 with milliseconds and `Z`, and tokens are texts. Null: nobody knows,
 * or there is none.
 */
/** When the database has answered. `stale`: it is away, and this is its last answer to the same question. */
export interface HistoryState {
  readonly asOf: string;
  readonly stale: boolean;
}

/**
 * `running`: no end is written, and no later run of the item either. `lost`: no end is written, and it has none, since
 * a later run of the item has begun.
 */
export const RUN_OUTCOMES = ['succeeded', 'failed', 'aborted', 'fenced', 'running', 'lost'] as const;
export type RunOutcomeAnswer = (typeof RUN_OUTCOMES)[number];

/** A run of an item: one begin, with all of its attempts. */
export interface RunRow {
  readonly id: string;
  readonly job: string;
  readonly item: number;
  /** Null for a run that was written before the upgrade, or by a Java peer. So are all others that only we know. */
  readonly fireTime: string | null;
  readonly origin: string | null;
  readonly source: string;
  readonly outcome: RunOutcomeAnswer;
  /** One word, such as `cancelled`, `timed-out`, `handed-over`. */
  readonly cause: string | null;
  readonly error: string | null;
  /** The id of the begin, which items begun together share. */
  readonly run: string | null;
  readonly token: string | null;
  readonly epoch: number | null;
  readonly instance: string | null;
  readonly ip: string;
  readonly version: string | null;
  readonly task: string;
  readonly launch: number | null;
  readonly begunAt: string;
  readonly settledAt: string | null;
  readonly durationMs: number | null;
  readonly latenessMs: number | null;
  /** How often the handler was called. */
  readonly attempts: number;
}

/** The newest first. */
export interface RunsAnswer extends HistoryState {
  readonly items: readonly RunRow[];
  readonly cursor: string | null;
}

/** A call of the handler that was not the only one of its run. */
export interface AttemptAnswer {
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly error: string | null;
}

/** One run with what happened around it. */
export interface RunAnswer extends HistoryState {
  readonly run: RunRow;
  /** Empty if the handler was called once. */
  readonly attempts: readonly AttemptAnswer[];
  /** All runs of the same target of the item, oldest first, this one included. */
  readonly ofTarget: readonly RunRow[];
  /** The run of the item before it, and after it. */
  readonly previous: RunRow | null;
  readonly next: RunRow | null;
}

export interface EventRow {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  /** Null: it concerns no job, or not a single one. */
  readonly job: string | null;
  /** Ascending; null if it is about no item in particular. */
  readonly items: readonly number[] | null;
  readonly fireTime: string | null;
  /** The instance that has told it. */
  readonly instance: string | null;
  /** The other fields of the event. Long lists are cut, and `{name}Cut` has their length then. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The newest first. */
export interface EventsAnswer extends HistoryState {
  readonly items: readonly EventRow[];
  readonly cursor: string | null;
}

/** All fire times of a schedule from `since` to `fireTime`, at which the items were not begun. */
export interface MissedRow {
  readonly job: string;
  readonly items: readonly number[];
  readonly since: string;
  readonly fireTime: string;
  /** 1,000 means 1,000 or more. */
  readonly count: number;
  readonly reason: string;
  /** When it was told. */
  readonly at: string;
}

/** The newest first. */
export interface MissedAnswer extends HistoryState {
  readonly items: readonly MissedRow[];
  readonly cursor: string | null;
}

/**
 * Fate of an item at a fire time, as a letter. `r`: done at another run of the same fire time, as a re-run.
 * `disabled`: the job, the server or the item was. `unknown`: nobody has written it.
 */
const FIRE_TIME_FATES = {
  d: 'done',
  r: 'done by a re-run',
  f: 'failed',
  o: 'running',
  m: 'missed',
  x: 'disabled',
  u: 'unknown',
} as const;
export type FateLetter = keyof typeof FIRE_TIME_FATES;

/** Neighbouring items of a fire time for which the same word says why they were missed, or are unknown. */
export interface FateReason {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** One fire time. `GET /runs?job=&item=&fireTime=` has the runs of a cell. */
export interface FireTimeColumnAnswer {
  readonly fireTime: string;
  /** One letter of `FIRE_TIME_FATES` for each item that the job is known to have had then, by item number. */
  readonly items: string;
  readonly reasons: readonly FateReason[];
  /** True if the schedule of that time says so; false: only rows tell of it. */
  readonly expected: boolean;
}

/** The fire times of a job by its items. */
export interface JobHistoryAnswer extends HistoryState {
  readonly job: string;
  readonly timeZone: string | null;
  readonly from: string;
  readonly to: string;
  /** Ascending. */
  readonly columns: readonly FireTimeColumnAnswer[];
  /** From then on today's schedule and number of items are known to be in force. */
  readonly expectedFrom: string;
  /** True if there were more fire times. */
  readonly cut: boolean;
  /** The next ones after now, at most ten, if `to` is not before now. */
  readonly next: readonly string[];
}

export interface PercentilesAnswer {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Counts and percentiles of a span of time. */
export interface StatisticsBucketAnswer {
  readonly from: string;
  readonly to: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly aborted: number;
  /** Null if nothing has ended in the span. */
  readonly durationMs: PercentilesAnswer | null;
  readonly latenessMs: PercentilesAnswer | null;
}

export interface StatisticsAnswer extends HistoryState {
  readonly job: string;
  readonly buckets: readonly StatisticsBucketAnswer[];
}

/** One step of an item's way to where it is. */
export interface WhyMove {
  readonly at: string;
  /**
   * Kind of the event: `resharded`, `orphaned`, `claimed`, `task-adopted`, `task-queued`, `failover-overflow`,
   * `failover-purged`, `executor-died`, `mark-released`, or `begun`, of the run that stands in the history.
   */
  readonly kind: string;
  /** The instance that did it, or ran it. */
  readonly instance: string | null;
  /** The owner before and after it. */
  readonly from: string | null;
  readonly to: string | null;
  /** One word, such as `crashed`, `joined`, `FAILOVER`. */
  readonly cause: string | null;
  readonly token: string | null;
  /** In plain English. */
  readonly text: string;
}

/** Why an item is where it is. */
export interface WhyAnswer extends HistoryState {
  readonly job: string;
  readonly item: number;
  /** As the registry has them now. */
  readonly owner: string | null;
  readonly holder: string | null;
  /** The owner from whom it has come, at `since`; null: nobody has written it. */
  readonly from: string | null;
  readonly since: string | null;
  /** Why it has come, in one word, and in plain English. */
  readonly cause: string | null;
  readonly text: string;
  /** Its last moves, oldest first; at most 20. */
  readonly moves: readonly WhyMove[];
}

/**
 * How a fire time of a job has ended. `part`: some items have succeeded, others not. `missed`: its items were not
 * begun.
 */
export type FireTimeResult = 'done' | 'part' | 'failed' | 'running' | 'missed';

/**
 * How a job has done lately. Null, all of it, without a history, before it has answered, or while it is away. It is
 * known of jobs that somebody looks at.
 */
export interface JobPulseAnswer {
  /** The last ten, ascending. */
  readonly lastFireTimes: readonly FireTimeResult[] | null;
  /** End of the earliest failed run since which no run of that item has succeeded; null if no item fails. */
  readonly failedSince: string | null;
  /** End of its latest run that has succeeded. */
  readonly lastGoodAt: string | null;
  /** Of the last day's durations; null below 20 runs. */
  readonly p95DurationMs: number | null;
}

export const UNKNOWN_PULSE: JobPulseAnswer = {
  lastFireTimes: null,
  failedSince: null,
  lastGoodAt: null,
  p95DurationMs: null,
};

/** Something that was told in the last 24 hours, once for each kind and job. */
export interface AlarmAnswer {
  /** `missed`, `hung`, `late`, `failover-overflow`, `early`, `clock`, `dependency-not-met`, `history-dropped`. */
  readonly kind: string;
  readonly job: string | null;
  /** Items of the latest of them. */
  readonly items: readonly number[] | null;
  /** Number of fire times for `missed`, of runs for `late`, of rows for `history-dropped`, else of events. */
  readonly count: number;
  /** The latest. */
  readonly at: string;
}

/** The history at a glance, as old as its `asOf`. */
export interface OverviewHistory extends HistoryState {
  /** Runs of the last 12 hours, in buckets of 15 minutes. */
  readonly runs: readonly Pick<StatisticsBucketAnswer, 'from' | 'to' | 'succeeded' | 'failed' | 'aborted'>[];
  /** Number of fire times that were missed in the last 24 hours, over all jobs. */
  readonly missed: number;
  /** Number of rows that histories have dropped in the last 24 hours. */
  readonly dropped: number;
  /** The newest first, at most 50. */
  readonly alarms: readonly AlarmAnswer[];
}
