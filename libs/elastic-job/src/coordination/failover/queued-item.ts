import { type ExecutorDeathState, isExecutorDeathState, isLeftToAdopt, type RunRecord } from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';

/** An item that waits for an instance to take it. */
export interface PendingFailover {
  readonly item: number;
  /**
   * `crashed`: its holder is gone; `aborted`: its holder left in order before it was done; `executor-died`: the process
   * or thread that did its work is gone, while its holder lives; `adopt`: its task goes on without a scheduler.
   */
  readonly cause: 'crashed' | 'aborted' | 'executor-died' | 'adopt';
  /** Kind of its executor's death, if that is the cause. */
  readonly executor?: ExecutorDeathState;
  /** Instance id of its last holder, if one of ours. */
  readonly lastHolder: string | undefined;
  /** Milliseconds for which it has been waiting. */
  readonly ageMs: number;
}

/** An item whose holder is gone and that found the queue full, which ended its target. */
export interface OverflowedItem {
  readonly item: number;
  /** Fire time that is not caught up on, in milliseconds since the epoch. */
  readonly fireTime: number;
  readonly lastHolder: string;
}

/** @param now milliseconds since the epoch */
export function describePending(tree: JobTree, item: number, now: number): PendingFailover {
  const record = recordOf(tree, item);
  const queuedAt = tree.stat(tree.paths.queued(item))?.ctime ?? now;
  return { item, ...causeOf(record), lastHolder: record?.by, ageMs: Math.max(0, now - queuedAt) };
}

/** @returns undefined if the item's last run ended otherwise */
export function describeOverflowed(tree: JobTree, item: number): OverflowedItem | undefined {
  const record = recordOf(tree, item);
  if (record?.settled?.cause !== 'overflow') return undefined;
  return { item, fireTime: record.target.fireTime, lastHolder: record.by };
}

function causeOf(record: RunRecord | undefined): Pick<PendingFailover, 'cause' | 'executor'> {
  const { cause, outcome } = record?.settled ?? {};
  if (record !== undefined && isLeftToAdopt({ kind: 'record', record })) return { cause: 'adopt' };
  if (isExecutorDeathState(cause)) return { cause: 'executor-died', executor: cause };
  return { cause: outcome === 'aborted' ? 'aborted' : 'crashed' };
}

function recordOf(tree: JobTree, item: number): RunRecord | undefined {
  const stored = tree.record(item)?.stored;
  return stored?.kind === 'record' ? stored.record : undefined;
}
