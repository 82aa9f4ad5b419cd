/** Writes of a begin of items, its results, and writes of the end of an item's run. */
import type { Clock } from '../../clock/index.js';
import {
  adoptedStopOf,
  carriedFields,
  type EarlyRuns,
  earlyRunsOf,
  executorDeathsOf,
  lastScheduledOf,
  launchOf,
  owesAfter,
  owesAfterTrigger,
  type RunRecord,
  type StopCause,
  type StoredRecord,
  type TaskLife,
  traceparentOf,
  type Trigger,
  triggersOf,
} from '../../domain/index.js';
import type { Operation, OperationResult } from '../../registry/index.js';
import type { JobPaths, JobTree } from '../job-tree/index.js';

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

/** An item as its begin has left it. */
export interface HeldItem {
  readonly record: RunRecord;
  /** Version of the item's record after the begin. The settle checks it. */
  readonly version: number;
  readonly token: bigint;
}

/** Record of a begin that keeps nothing of an item's former runs. @param trace its traceparent */
export function newRecord(
  tree: JobTree,
  { fireTime, origin, parameters }: Trigger,
  clock: Clock,
  tasks: TaskLife | undefined,
  trace: string | undefined,
): RunRecord {
  const target = { fireTime, origin, parameters };
  return {
    run: clock.uuid(),
    by: tree.self.jobInstanceId,
    target,
    attempt: 1,
    begunAt: clock.wallNow(),
    ...(tasks === 'adoptable' && { isAdoptable: true }),
    ...(trace !== undefined && { trace }),
  };
}

/**
 * The next run of an item, after the one that its record shows.
 * @param record that of an item without a former run
 */
export function nextRunAfter(
  stored: StoredRecord,
  trigger: Trigger,
  tasks: TaskLife | undefined,
  record: RunRecord,
): NextRun {
  const owed = owesAfter(stored);
  const kept = {
    carried: carriedFields(stored),
    lastScheduled: lastScheduledOf(stored),
    owesAfter: owed,
    triggers: triggersOf(stored),
    early: earlyRunsOf(stored),
    executorDeaths: executorDeathsOf(stored, trigger),
    launch: tasks && launchOf(stored, trigger),
    stop: adoptedStopOf(stored, trigger),
  };
  return { record: recordOf(kept, record), owesAfter: owed, repeated: traceparentOf(stored, trigger) };
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
  { carried, lastScheduled, owesAfter: owed, triggers = [], early, executorDeaths, launch, stop }: Kept,
  record: RunRecord,
): RunRecord {
  const { fireTime, origin } = record.target;
  const isEarly = early?.fireTimes.includes(fireTime) ?? false;
  const isBeyond = lastScheduled !== undefined && (origin !== 'schedule' || isEarly || lastScheduled > fireTime);
  const owes = lastScheduled === undefined && origin !== 'schedule' ? (owed ?? owesAfterTrigger(record)) : undefined;
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

/** Operations of a begin, and which of them write the records. */
export interface BeginRequest {
  readonly operations: readonly Operation[];
  /** Places of the operations that write the records, in the order of the items. */
  readonly records: readonly number[];
}

/**
 * Operations of a begin: first the check of this instance, then the guard, then the writes of each item.
 * @param guard further operations that the begin depends on
 */
export function beginRequest(
  tree: JobTree,
  items: readonly BeginningItem[],
  guard: readonly Operation[],
  modes: BeginModes,
): BeginRequest {
  // An instance that was removed from the job begins nothing more, even before it learns of the removal.
  const operations: Operation[] = [{ kind: 'check', path: tree.paths.instance(tree.self.jobInstanceId) }, ...guard];
  const records: number[] = [];
  for (const beginning of items) {
    for (const operation of beginOperations(tree.paths, beginning, modes)) operations.push(operation);
    records.push(operations.length - 1);
  }
  return { operations, records };
}

/** Traceparents of the runs that this begin repeats, by item, as far as they were traced. */
export function repeatedRuns(items: readonly BeginningItem[]): ReadonlyMap<number, string> {
  const traces = new Map<number, string>();
  for (const { item, repeated } of items) if (repeated !== undefined) traces.set(item, repeated);
  return traces;
}

/** Fire times by item that the records show as begun although they are in the future, because a clock ran ahead. */
export function earlyFireTimes(items: readonly BeginningItem[]): ReadonlyMap<number, readonly number[]> {
  const early = new Map<number, readonly number[]>();
  for (const { ahead = [], item } of items) if (ahead.length > 0) early.set(item, ahead);
  return early;
}

/** Instant after which each item owed fire times. */
export function formerOwesAfter(items: readonly BeginningItem[]): ReadonlyMap<number, number | undefined> {
  return new Map(items.map((item) => [item.item, item.owesAfter]));
}

/**
 * Items that the transaction of a begin has begun.
 * @param records places of the operations that have written their records
 */
export function heldItems(
  items: readonly BeginningItem[],
  records: readonly number[],
  results: readonly OperationResult[],
): ReadonlyMap<number, HeldItem> {
  const held = new Map<number, HeldItem>();
  for (let n = 0; n < items.length; n += 1) {
    const { item, record } = items[n]!;
    const written = results[records[n]!];
    if (written?.kind !== 'set') throw new TypeError(`Begin of item ${item}: its record was not set.`);
    held.set(item, { record, version: written.stat.version, token: written.stat.mzxid });
  }
  return held;
}

/** Variant of the end of an item's run. */
export interface SettleModes {
  readonly isFailover: boolean;
  readonly isRequeued: boolean;
  /** False if the removal of the mark alone shows the end, since a data write costs every Java peer two requests. */
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
