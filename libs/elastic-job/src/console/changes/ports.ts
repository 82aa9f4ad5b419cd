import type {
  CancelOutcome,
  DumpOptions,
  JobConfigurationChanges,
  NewJob,
  ServerScope,
  StoredJobConfiguration,
  TriggerOptions,
  TriggerReceipt,
} from '../../operations/index.js';
import type { AuditEntry, JobAnswer } from '../contract/index.js';

/** An intent of somebody. It is durable before anything is done. */
export type AuditIntent = Omit<AuditEntry, 'id' | 'at' | 'after' | 'outcome' | 'code'>;

/** The result of a change, and what the audit keeps of it. */
export interface Made<Result> {
  readonly result: Result;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Writes down who does what. */
export interface AuditTrail {
  /**
   * @returns the result of the change, and the id of its entry
   * @throws {ConsoleProblem} 503 AUDIT_AWAY if the intent cannot be written: then nothing is done
   * @throws what the change throws
   */
  record<Result>(
    intent: AuditIntent,
    change: (entry: { readonly id: string }) => Promise<Made<Result>>,
  ): Promise<{ readonly result: Result; readonly audit: string }>;
}

/** A whole job, or one server of it; `newServers: false` leaves servers that are still to come as they are. */
export interface SwitchScope extends ServerScope {
  readonly newServers?: boolean;
}

/** Outcome of a switch: which servers, what new ones do, and who may switch them back. */
export interface Switched {
  readonly servers: readonly string[];
  readonly newServers: 'switched' | 'already' | 'left' | 'unreadable';
  readonly javaPeers: readonly string[];
}

/** The commands of `JobOperateApi` that a change gives. */
export interface JobCommands {
  create(job: NewJob): Promise<void>;
  trigger(job: string, options?: TriggerOptions): Promise<TriggerReceipt>;
  cancel(job: string, item: number): Promise<CancelOutcome>;
  enable(job: string, scope?: SwitchScope): Promise<Switched>;
  disable(job: string, scope?: SwitchScope): Promise<Switched>;
  reshard(job: string): Promise<unknown>;
  confirmLost(job: string, item: number): Promise<unknown>;
  shutdown(job: string, scope?: ServerScope): Promise<readonly string[]>;
  remove(job: string, scope?: ServerScope): Promise<void>;
  enableServer(ip: string): Promise<readonly string[]>;
  disableServer(ip: string): Promise<readonly string[]>;
  shutdownServer(ip: string): Promise<readonly string[]>;
  removeServer(ip: string): Promise<void>;
  dump(job: string, options?: DumpOptions): Promise<string>;
}

/** The commands of `ShardingOperateApi` that a change gives. */
export interface ItemCommands {
  enable(job: string, item: number): Promise<unknown>;
  disable(job: string, item: number): Promise<unknown>;
}

/** Settings with the version of their node. */
export type VersionedConfiguration = StoredJobConfiguration & { readonly version: number };

/** The commands of `JobConfigurationApi` that a change gives. */
export interface Configurations {
  /** Undefined if there is no such job. */
  getJobConfiguration(job: string): Promise<VersionedConfiguration | undefined>;
  /** @throws an error of the code `CHANGED` if the node has another version */
  updateJobConfiguration(
    job: string,
    changes: JobConfigurationChanges,
    options: { readonly version: number },
  ): Promise<VersionedConfiguration>;
  /** The settings that the change would make, checked in the same way; nothing is written. */
  previewJobConfiguration(job: string, changes: JobConfigurationChanges): Promise<StoredJobConfiguration>;
  removeJobConfiguration(job: string): Promise<void>;
}

/** Facts of a job that a change has to know. */
export type JobAbout = Pick<JobAnswer, 'job' | 'javaInstances' | 'registeredIn' | 'template'>;

/** @throws {UnknownJobError} */
export type FindJob = (job: string) => Promise<JobAbout>;
