import type { ItemWork, JobConfiguration, ShardOutcome } from '../domain/index.js';
import type { JobKind } from '../turns/index.js';
import type { RetriedItem } from './attempts.js';

/** A job, as the executor needs to know it. */
export interface ExecutableJob {
  readonly configuration: JobConfiguration;
  readonly handler: ItemWork;
  /** Earlier attempts at the items of the lease, which count. @default 0 */
  readonly formerAttempts?: number;
  /** Called before each call of a handler. @param attempt 1, and more for retries under the lease */
  onStarted?(item: number, attempt: number): void;
  /** Called once for each item whose handler ignores its signal. */
  onHung?(hung: HungHandler): void;
  /** Called for each started item when its handler has returned; the item is ended next, unless it was released. */
  onReturned?(item: number): void;
  /** Called when a handler has failed and its item is tried again, so that the item has not ended. */
  onRetry?(retried: RetriedItem): void;
}

/** Called with the end of each item of a lease, once. What it throws rejects the run once all items have ended. */
export type OnEnded = (item: number, outcome: ShardOutcome) => void;

/** A handler, or a listener of a run, that has not returned within `hungGraceMs` after its signal aborted. */
export interface HungHandler {
  readonly item: number;
  /** When its signal aborted, in milliseconds since the epoch. */
  readonly since: number;
  /** Reason of the signal. */
  readonly reason: unknown;
  /** True if the item is given up to others: it has ended, and the result of handler or listener is ignored. */
  readonly isReleased: boolean;
  /** Name and method of the listener, such as `Audit.beforeJobExecuted`; undefined for a handler. */
  readonly listener?: string;
}

/** Options for every run of a job on this instance. */
export interface JobExecutorOptions {
  /** Compared before the fencing token; passed to the handlers unchanged. */
  readonly tokenEpoch: number;
  /** How long a handler may go on after its signal, in milliseconds. */
  readonly hungGraceMs: number;
  /** Kind of the job, for its turns. @default 'code' */
  readonly kind?: JobKind;
}

/** The grace of a process that sets none, in milliseconds. */
export const DEFAULT_HUNG_GRACE_MS = 30_000;
