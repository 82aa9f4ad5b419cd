/**
 * Answers about jobs and their items. Times are ISO 8601 with milliseconds and `Z`. Durations are numbers of
 * milliseconds whose names end in `Ms`. Tokens are decimal texts, since 64 bits do not fit a JSON number. Null:
 * there is none.
 */
import type { JobPulseAnswer, WhyMove } from './history-answers.js';

/** Stands for a value that is not shown; in a change it means: as it is. */
export const HIDDEN = 'hidden';

export type JobStatus = 'OK' | 'DISABLED' | 'CRASHED' | 'SHARDING_FLAG';
type ItemStatus = 'RUNNING' | 'PENDING' | 'DISABLED' | 'SHARDING_FLAG';

/** Why an operator should look at a job. As old as the row's `asOf`. */
export const ATTENTIONS = [
  'failed',
  'queued',
  'no-owner',
  'no-leader',
  'disabled',
  'crashed',
  'overdue',
  'mixed',
  'unreadable',
  'unreachable',
] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** A job in a list. */
export interface JobRow extends JobPulseAnswer {
  readonly job: string;
  /** The leading `[label]` of the description. */
  readonly label: string | null;
  readonly status: JobStatus;
  readonly attention: readonly Attention[];
  readonly cron: string | null;
  readonly timeZone: string | null;
  readonly nextFireTime: string | null;
  /** Number of items. */
  readonly items: number;
  /** Number of items that run. */
  readonly running: number;
  readonly disabledItems: readonly number[];
  /** Numbers of instances, and of Java's among them. */
  readonly instances: number;
  readonly javaInstances: number;
  readonly leader: string | null;
  readonly template: string | null;
  readonly isBeingRemoved: boolean;
  readonly resident: boolean;
  readonly inTasks: boolean;
  readonly registeredIn: 'code' | 'template' | 'cloud' | 'java';
  /** Why the job's settings cannot be read. */
  readonly problem: string | null;
  readonly asOf: string;
}

/** How far the index has come, and how old its oldest row is. */
export interface IndexState {
  /** Jobs that were read at least once since the start. */
  readonly indexed: number;
  /** The oldest reading of a row; null while none was read. */
  readonly asOf: string | null;
  /** True if the registry is away: these are the last facts. */
  readonly stale: boolean;
}

export interface JobsAnswer extends IndexState {
  readonly items: readonly JobRow[];
  /** Where the next page begins. */
  readonly cursor: string | null;
  /** All jobs that there are for the caller. */
  readonly total: number;
  /** Those of them that the query asks for, as far as they are indexed. */
  readonly matching: number;
}

/** The one who has disabled something, from the audit; `by: null` if it was done elsewhere. */
export interface DisabledBy {
  readonly by: string | null;
  readonly at: string | null;
  readonly reason: string | null;
}

export interface JobAnswer extends JobRow {
  readonly description: string;
  /** Jobs after which it starts. */
  readonly after: readonly string[];
  /** Null while any server is enabled. `newServers`: what a server does that was never there. */
  readonly disabled: (DisabledBy & { readonly newServers: 'enabled' | 'disabled' }) | null;
  readonly servers: readonly { readonly ip: string; readonly disabled: boolean; readonly instances: number }[];
  readonly members: readonly InstanceAnswer[];
  /** Version of the settings. */
  readonly configVersion: number | null;
  readonly stale: boolean;
}

export interface InstanceAnswer {
  readonly instance: string;
  readonly ip: string;
  readonly java: boolean;
  /** Release of its application, if it tells one. Java's tell none. */
  readonly version: string | null;
  readonly leader: boolean;
  /** True if it is leaving the job: others get its items, and what it runs goes on. */
  readonly draining: boolean;
  /** Items that it owns. */
  readonly items: readonly number[];
}

/** The record in the tree: Java's instances leave none. It does not tell how often the handler was tried. */
export interface LastRunAnswer {
  readonly run: string;
  readonly instance: string;
  readonly fireTime: string;
  /** `schedule`, `resident`, `after`, `manual:{id}`. */
  readonly origin: string;
  readonly outcome: 'succeeded' | 'failed' | 'aborted' | null;
  readonly cause: string | null;
  readonly launch: number | null;
  /** Known until the end is recorded. */
  readonly token: string | null;
  readonly begunAt: string;
  readonly settledAt: string | null;
  /** From the history of runs, if the application has one. */
  readonly error: string | null;
}

export interface ItemAnswer {
  readonly item: number;
  /** Null for who may not see parameters. */
  readonly parameter: string | null;
  readonly status: ItemStatus;
  readonly owner: string | null;
  readonly holder: string | null;
  readonly failover: boolean;
  /** Since when it waits for failover. */
  readonly queued: string | null;
  readonly misfired: boolean;
  readonly disabled: DisabledBy | null;
  readonly task: TaskAnswer | null;
  readonly lastRun: LastRunAnswer | null;
  /**
   * Its last moves, as `GET /jobs/{job}/items/{item}/why` has them; null in a list, and where the history does not
   * answer at once.
   */
  readonly why: readonly WhyMove[] | null;
}

export interface TaskAnswer {
  readonly id: string;
  readonly backend: string;
  readonly state: string;
  readonly since: string;
  readonly launch: number;
  readonly node: string | null;
  readonly detail: string | null;
}

export interface ItemsAnswer {
  readonly items: readonly ItemAnswer[];
  readonly cursor: string | null;
  readonly total: number;
  readonly asOf: string;
  readonly stale: boolean;
}

export interface FireTimesAnswer {
  readonly timeZone: string | null;
  /** Ascending; none for a job that only runs when it is asked to. */
  readonly fireTimes: readonly string[];
}

/** A run of an item, from the history. */
export interface ExecutionAnswer {
  readonly id: string;
  readonly job: string;
  readonly item: number;
  readonly task: string;
  readonly hostname: string;
  readonly ip: string;
  readonly source: string;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly succeeded: boolean;
  readonly error: string | null;
}

export interface ExecutionsAnswer {
  readonly items: readonly ExecutionAnswer[];
  readonly cursor: string | null;
}

/** An item that waits for an instance to take it over. */
export interface FailoverAnswer {
  readonly items: readonly {
    readonly item: number;
    readonly since: string;
    readonly lastRun: LastRunAnswer | null;
  }[];
  readonly asOf: string;
  readonly stale: boolean;
}

/** A job's settings. What the caller may not see is `hidden`. */
export interface ConfigAnswer {
  readonly job: string;
  readonly version: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Names of the settings that Java instances of the job would not follow, whether there are any or not. */
  readonly unshareable: readonly string[];
  /** Beside Java or ElasticJob-Cloud: what becomes of an edit. */
  readonly note: string | null;
}

export interface ConfigPreviewAnswer {
  readonly job: string;
  readonly version: number;
  readonly changes: readonly FieldChange[];
  /** The next five, before and after. */
  readonly fireTimes: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** Names of the settings that Java instances of the job would not follow afterwards. */
  readonly unshareable: readonly string[];
  readonly note: string | null;
}

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}
