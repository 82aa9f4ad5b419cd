/** Answers about changes, servers, sessions and the audit. @see job-answers.ts for times and numbers */
import type { OverviewHistory } from './history-answers.js';
import type { Attention, FieldChange, IndexState, JobRow } from './job-answers.js';
import type { ConsoleRole } from './roles.js';

/** A change that was made. `audit`: id of its entry. */
export interface DoneAnswer {
  readonly audit: string;
  /** Tells what does not follow the change, such as a Java peer; null: all follow. */
  readonly note: string | null;
}

export interface TriggerAnswer {
  readonly id: string;
  readonly asked: readonly string[];
  readonly pending: readonly string[];
  readonly skipped: 'disabled' | 'resident' | 'no-instance' | null;
  readonly audit: string;
}

/** A re-run that was asked for. `waitsFor`: instances of a release that has no re-runs. */
export interface RerunAnswer {
  readonly id: string;
  /** One for each item and fire time. */
  readonly targets: number;
  readonly waitsFor: readonly string[];
  readonly audit: string;
}

export interface RerunTargetAnswer {
  readonly fireTime: string;
  readonly item: number;
  /** How its runs have ended so far: with a success, or without one. Null: unknown, as without a history. */
  readonly last: 'succeeded' | 'failed' | null;
  /** True if the item has succeeded at a later fire time; null: unknown. */
  readonly newerSuccess: boolean | null;
  readonly owner: string | null;
  readonly begins: 'at once' | 'in turn' | 'waits' | 'not';
  readonly because: string;
}

/** By fire time, and then by item. */
export interface RerunPreviewAnswer {
  readonly targets: readonly RerunTargetAnswer[];
}

/** A re-run that has not ended yet. */
export interface OpenRerunAnswer {
  readonly id: string;
  readonly at: string;
  readonly items: readonly number[];
  readonly fireTimes: readonly string[];
  /** Viewers see `hidden`. */
  readonly parameters: string | null;
  readonly anyTime: boolean;
  /** True if nothing more of it begins, and it is about to be removed. */
  readonly withdrawn: boolean;
  readonly targets: number;
  /** How many fire times each item has ended, and how many of them without success. */
  readonly progress: readonly { readonly item: number; readonly ended: number; readonly failed: number }[];
  readonly waitsFor: readonly string[];
}

/** The oldest first. */
export interface RerunsAnswer {
  readonly items: readonly OpenRerunAnswer[];
}

/** `instance`: the one that led; null: there was none. */
export interface ResignAnswer {
  readonly instance: string | null;
  readonly audit: string;
}

/** `run` and `instance` name what was asked to end. */
export interface CancelAnswer {
  readonly run: string;
  readonly instance: string;
  readonly audit: string;
}

/** Instances that were taken out. */
export interface ShutdownAnswer {
  readonly instances: readonly string[];
  readonly audit: string;
}

export interface ConfigChangedAnswer {
  readonly version: number;
  readonly changes: readonly FieldChange[];
  readonly audit: string;
  readonly note: string | null;
}

export interface ServerRow {
  readonly ip: string;
  readonly instances: readonly string[];
  /** Number of Java's among them. */
  readonly javaInstances: number;
  /** Their releases, as far as they tell any. */
  readonly versions: readonly string[];
  /** Number of those that are leaving a job. */
  readonly drainingInstances: number;
  /**
   * The greatest difference that one of them has told between its clock and the registry's, in milliseconds. Above
   * zero, its clock is ahead. Null: none has told.
   */
  readonly clockOffsetMs: number | null;
  /** Numbers of jobs that have run there, and of those that are disabled there. */
  readonly jobs: number;
  readonly disabledJobs: number;
}

export interface ServersAnswer extends IndexState {
  readonly items: readonly ServerRow[];
  readonly cursor: string | null;
  /** All servers that there are for the caller. */
  readonly total: number;
  /** Those of them that the query asks for. */
  readonly matching: number;
}

/** An instance on a server, over all of its jobs. */
export interface ServerInstanceAnswer {
  readonly instance: string;
  readonly java: boolean;
  /** Release of its application, if it tells one. Java's tell none. */
  readonly version: string | null;
  /** Numbers of jobs that it is in, that it leads, and that it is leaving. */
  readonly jobs: number;
  readonly leads: number;
  readonly drainingJobs: number;
  /** As in `ServerRow`. */
  readonly clockOffsetMs: number | null;
}

export interface ServerAnswer extends ServerRow, IndexState {
  readonly members: readonly ServerInstanceAnswer[];
  readonly jobNames: readonly string[];
  readonly disabledJobNames: readonly string[];
}

/** A release of an application, as its instances tell it. */
export interface VersionAnswer {
  /** Null stands for the instances of ours that tell none. */
  readonly version: string | null;
  /** Numbers of instances of it, and of those of them that are leaving a job. */
  readonly instances: number;
  readonly drainingInstances: number;
  /** Numbers of jobs that have such an instance, and of those that have one of another release as well. */
  readonly jobs: number;
  readonly mixedJobs: number;
  /** When the first and the last of these instances began to take part, as far as they are still there. */
  readonly since: string;
  readonly lastJoined: string;
}

/** An instance that is leaving: others get its items, and what it runs goes on. */
export interface DrainAnswer {
  readonly instance: string;
  readonly ip: string;
  readonly version: string | null;
  /** Number of jobs that it is leaving. */
  readonly jobs: number;
  /** When it began to leave the first of them. */
  readonly since: string;
}

export interface OverviewAnswer extends IndexState {
  readonly registry: { readonly state: string; readonly namespace: string };
  readonly jobs: number;
  readonly servers: number;
  readonly instances: number;
  /** The ten releases of which an instance has joined last, the last first. Java's instances tell none. */
  readonly versions: readonly VersionAnswer[];
  /** Number of instances that are leaving a job. */
  readonly drainingInstances: number;
  /** The ten of them that have been leaving for longest. */
  readonly draining: readonly DrainAnswer[];
  readonly runningItems: number;
  /** Number of jobs that an operator should look at. */
  readonly needing: number;
  /** Number of jobs by reason. */
  readonly attention: Readonly<Partial<Record<Attention, number>>>;
  /** The ten jobs with the most severe reasons. */
  readonly worst: readonly JobRow[];
  /** The ten jobs with running items of which the most run. */
  readonly busiest: readonly { readonly job: string; readonly running: number; readonly items: number }[];
  /** The ten next fire times. */
  readonly next: readonly { readonly job: string; readonly fireTime: string }[];
  /** Null without a history, and before it has answered. */
  readonly history: OverviewHistory | null;
}

export interface SessionAnswer {
  readonly name: string;
  readonly role: ConsoleRole;
  readonly jobPrefix: string | null;
  readonly readOnly: boolean;
  readonly requireReason: boolean;
  readonly by: 'page' | 'token' | 'host';
  /** End of the session, if nothing is asked before; null without a session. */
  readonly idleUntil: string | null;
  readonly expiresAt: string | null;
}

export type AuditOutcome = 'intended' | 'done' | 'refused' | 'failed' | 'unknown';
export const AUDIT_OUTCOMES = [
  'intended',
  'done',
  'refused',
  'failed',
  'unknown',
] as const satisfies readonly AuditOutcome[];
export type AuditBy = 'page' | 'token' | 'host' | 'command line' | 'mcp' | 'direct' | 'outside';

export interface AuditTarget {
  readonly job?: string;
  readonly item?: number;
  readonly server?: string;
}

/** A deed: who has done what, when and why, and how it ended. Secrets stand as `hidden`. */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  /** Null: nobody knows, as for a change from outside. */
  readonly who: string | null;
  readonly role: ConsoleRole | null;
  readonly by: AuditBy;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly action: string;
  readonly target: AuditTarget;
  readonly reason: string | null;
  readonly before: unknown;
  readonly after: unknown;
  /** An `intended` entry whose process is gone is shown as `unknown`. */
  readonly outcome: AuditOutcome;
  readonly code: string | null;
}

export interface AuditAnswer {
  readonly items: readonly AuditEntry[];
  readonly cursor: string | null;
}
