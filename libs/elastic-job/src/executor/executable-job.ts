import type { JobConfiguration, ItemWork, ShardOutcome } from '../domain/index.js';
import type { RetriedItem } from './retries.js';

/** What the executor has to know of a job. */
export interface ExecutableJob {
  readonly configuration: JobConfiguration;
  readonly handler: ItemWork;
  /** Attempts that others have made at the items of the lease; they count. @default 0 */
  readonly formerAttempts?: number;
  /** A handler is about to be called. @param attempt 1, and more for retries under the lease */
  onStarted?(item: number, attempt: number): void;
  /** A handler has not heeded its signal. Told once for each item. */
  onHung?(hung: HungHandler): void;
  /** A handler has returned; its item is ended next, unless it was released. Told of each item that was started. */
  onReturned?(item: number): void;
  /** A handler has failed, and its item is tried again instead of being yielded. */
  onRetry?(retried: RetriedItem): void;
}

/** A handler that has not returned although its signal aborted `hungGraceMs` ago. */
export interface HungHandler {
  readonly item: number;
  /** When its signal aborted, in milliseconds since the epoch. */
  readonly since: number;
  /** Why it aborted. */
  readonly reason: unknown;
  /** The item is given up to others: it is yielded as aborted, and its handler counts no more. */
  readonly isReleased: boolean;
}

/** How one item of a lease ended. */
export interface ItemOutcome {
  readonly item: number;
  readonly outcome: ShardOutcome;
}
