import { type EarlyRuns, owesAfterTrigger, type RunRecord, type StopCause } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobPaths } from '../job-tree/index.js';

/** An item that is about to be begun. */
export interface BeginningItem extends NextRun {
  readonly item: number;
  /** Version of the item's record as it was read, which makes the begin a compare-and-set. */
  readonly version: number;
  /** True if no instance of ours has run the item yet, so that its record is created. @default false */
  readonly isFirst?: boolean;
  readonly hasMisfire: boolean;
  /** Fire times that its record shows as begun although they are in the future, because a clock ran ahead. */
  readonly ahead?: readonly number[];
}

/** Consequences of an item's last record for its next run. Items with equal records share them. */
export interface NextRun {
  /** The record that the begin writes. */
  readonly record: RunRecord;
  /** Instant after which the item owed fire times; undefined if unknown. */
  readonly owesAfter?: number;
  /** Traceparent of the run of this same target that is repeated, if it was traced. */
  readonly repeated?: string;
}

/** Values of an item's last record that its next one keeps. */
interface Kept {
  /** Fields that a later version has left in the record. @default none */
  readonly carried?: Readonly<Record<string, unknown>>;
  /** Last fire time of the schedule for which the item was begun, if any. */
  readonly lastScheduled?: number;
  /** Instant after which it owed fire times; undefined if unknown. */
  readonly owesAfter?: number;
  /** Ids of the operators' triggers for which it was begun. @default none */
  readonly triggers?: readonly string[];
  /** Fire times that were begun too early and are still in the future. */
  readonly early?: EarlyRuns;
  /** How often an executor of this same target has died before. */
  readonly executorDeaths?: number;
  /** Number of this launch of its target, for work in tasks. */
  readonly launch?: number;
  /** The adopted task was told to stop for good. */
  readonly stop?: StopCause;
}

/**
 * Record of one item's begin. It keeps what the schedule and operators have begun or given up before. Most items have
 * nothing to keep, and share the record of the begin.
 */
export function recordOf(
  { carried, lastScheduled, owesAfter, triggers = [], early, executorDeaths, launch, stop }: Kept,
  record: RunRecord,
): RunRecord {
  const { fireTime, origin } = record.target;
  const isEarly = early?.fireTimes.includes(fireTime) ?? false;
  const isBeyond = lastScheduled !== undefined && (origin !== 'schedule' || isEarly || lastScheduled > fireTime);
  const owes =
    lastScheduled === undefined && origin !== 'schedule' ? (owesAfter ?? owesAfterTrigger(record)) : undefined;
  const kept = {
    ...(executorDeaths !== undefined && { executorDeaths }),
    ...(launch !== undefined && { launch }),
    ...(stop !== undefined && { stopped: { run: record.run, cause: stop } }),
    ...(isBeyond && { lastScheduled }),
    ...(owes !== undefined && { owesAfter: owes }),
    ...(triggers.length > 0 && { triggers }),
    ...(early !== undefined && { early }),
  };
  return carried === undefined && Object.keys(kept).length === 0 ? record : { ...carried, ...record, ...kept };
}

/** Variant of an item's begin. */
export interface BeginModes {
  /** True if the running mark outlives the session. */
  readonly isPersistent: boolean;
  readonly isFailover: boolean;
  /** Writes a record in the format that all instances can read. */
  readonly textOf: (record: RunRecord) => string;
}

/**
 * Operations that begin one item: its running mark, its record, and for a failover the claim. The record comes last, so
 * that the last result of the item carries its token.
 */
export function beginOperations(
  paths: JobPaths,
  { item, version, isFirst = false, hasMisfire, record }: BeginningItem,
  { isPersistent, isFailover, textOf }: BeginModes,
): Operation[] {
  const operations: Operation[] = [];
  const { by } = record;
  if (isFailover) {
    operations.push(
      { kind: 'delete', path: paths.queued(item) },
      { kind: 'create', path: paths.mark(item, 'failover'), data: by, mode: 'EPHEMERAL' },
      { kind: 'create', path: paths.mark(item, 'failovering'), data: by, mode: 'PERSISTENT' },
    );
  }
  if (hasMisfire) operations.push({ kind: 'delete', path: paths.mark(item, 'misfire') });
  // A persistent mark outlives the session and tells the survivors which items were running.
  const mode = isPersistent ? 'PERSISTENT' : 'EPHEMERAL';
  operations.push({ kind: 'create', path: paths.mark(item, 'running'), data: by, mode });
  const path = paths.record(item);
  const data = textOf(record);
  operations.push(isFirst ? { kind: 'token', path, data } : { kind: 'set', path, data, version });
  return operations;
}

/** Variant of the end of an item's run. */
export interface SettleModes {
  readonly isFailover: boolean;
  readonly isRequeued: boolean;
  /** False if the removal of the mark alone tells the end, since a data write costs every Java peer two requests. */
  readonly isRecordWritten: boolean;
  /** True if a request to cancel exists. It is removed with the run. */
  readonly isCancelled: boolean;
}

/**
 * Operations that end one item's run. The record's version proves that the item was not begun again since.
 * @param record as text, including the end
 */
export function settleOperations(
  paths: JobPaths,
  { item, version }: { readonly item: number; readonly version: number },
  record: string,
  { isFailover, isRequeued, isRecordWritten, isCancelled }: SettleModes,
): Operation[] {
  const path = paths.record(item);
  const operations: Operation[] = [
    isRecordWritten ? { kind: 'set', path, data: record, version } : { kind: 'check', path, version },
    { kind: 'delete', path: paths.mark(item, 'running') },
  ];
  if (isFailover) {
    operations.push(
      { kind: 'delete', path: paths.mark(item, 'failover') },
      { kind: 'delete', path: paths.mark(item, 'failovering') },
    );
  }
  if (isRequeued) operations.push({ kind: 'create', path: paths.queued(item), data: '', mode: 'PERSISTENT' });
  if (isCancelled) operations.push({ kind: 'delete', path: paths.cancel(item) });
  return operations;
}
