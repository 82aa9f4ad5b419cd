import type { Clock } from '../../clock/index.js';
import {
  adoptedStopOf,
  carriedFields,
  earlyRunsOf,
  executorDeathsOf,
  lastScheduledOf,
  launchOf,
  owesAfter,
  type RunRecord,
  SparseMap,
  type StoredRecord,
  type TaskLife,
  type Trigger,
  traceparentOf,
  triggersOf,
} from '../../domain/index.js';
import type { Operation, OperationResult } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';
import type { HeldItem } from './held-lease.js';
import { type BeginModes, type BeginningItem, beginOperations, type NextRun, recordOf } from './item-operations.js';

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
  const traces = new SparseMap<number, string>();
  for (const { item, repeated } of items) if (repeated !== undefined) traces.set(item, repeated);
  return traces.toMap();
}

/** Fire times by item that the records show as begun although they are in the future, because a clock ran ahead. */
export function earlyFireTimes(items: readonly BeginningItem[]): ReadonlyMap<number, readonly number[]> {
  const early = new SparseMap<number, readonly number[]>();
  for (const { ahead = [], item } of items) if (ahead.length > 0) early.set(item, ahead);
  return early.toMap();
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
  const held = new SparseMap<number, HeldItem>();
  for (let n = 0; n < items.length; n += 1) {
    const { item, record } = items[n]!;
    const written = results[records[n]!];
    if (written?.kind !== 'set') throw new TypeError(`Begin of item ${item}: its record was not set.`);
    held.set(item, { record, version: written.stat.version, token: written.stat.mzxid });
  }
  return held;
}
