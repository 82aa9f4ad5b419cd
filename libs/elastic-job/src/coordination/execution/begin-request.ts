import {
  carriedFields,
  earlyRunsOf,
  executorDeathsOf,
  failsOver,
  type JobConfiguration,
  lastScheduledOf,
  launchOf,
  owesAfter,
  type RegistryNow,
  type RunRecord,
  SparseMap,
  type TaskLife,
  type Trigger,
  traceparentOf,
  triggersOf,
} from '../../domain/index.js';
import type { Operation, OperationResult } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';
import type { HeldItem } from './held-lease.js';
import { type BeginningItem, beginOperations, recordOf } from './item-operations.js';

/** State of an item before its begin, as the tree shows it. */
export function beginningItem(
  tree: JobTree,
  trigger: Trigger,
  item: number,
  tasks: TaskLife | undefined,
  now: RegistryNow | undefined,
): BeginningItem {
  const { ahead, stored = { kind: 'none' }, version = 0, isMissing } = tree.record(item, now) ?? {};
  return {
    item,
    version,
    isFirst: isMissing,
    hasMisfire: tree.has(tree.paths.mark(item, 'misfire')),
    carried: carriedFields(stored),
    lastScheduled: lastScheduledOf(stored),
    owesAfter: owesAfter(stored),
    triggers: triggersOf(stored),
    early: earlyRunsOf(stored),
    ahead,
    executorDeaths: executorDeathsOf(stored, trigger),
    launch: tasks && launchOf(stored, trigger),
    repeated: traceparentOf(stored, trigger),
  };
}

/** Operations of a begin: first the checks, then the writes of each item. */
export function beginRequest(
  tree: JobTree,
  configuration: JobConfiguration,
  trigger: Trigger,
  items: readonly BeginningItem[],
  record: RunRecord,
): [Operation[], ...Operation[][]] {
  const isFailover = trigger.source === 'FAILOVER';
  // A dead rescuer is recognised by its `failovering` mark. Its running mark is ephemeral, since Java 3.0.4 would fail
  // on a persistent one.
  const isPersistent = (failsOver(configuration) || record.isAdoptable === true) && !isFailover;
  const modes = { isPersistent, isFailover, textOf: (written: RunRecord) => tree.recordText(written) };
  const perItem = items.map((item) => beginOperations(tree.paths, item, record, modes));
  // An instance that was removed from the job begins nothing more, even before it learns of the removal.
  return [[{ kind: 'check', path: tree.paths.instance(tree.self.jobInstanceId) }], ...perItem];
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

/** Items that the transaction of a begin has begun. @param results results of the whole transaction */
export function heldItems(
  items: readonly BeginningItem[],
  perItem: readonly (readonly unknown[])[],
  results: readonly OperationResult[],
  record: RunRecord,
): ReadonlyMap<number, HeldItem> {
  const held = new SparseMap<number, HeldItem>();
  // The items' operations come last in the transaction, and the record last among those of its item.
  let index = results.length - perItem.reduce((count, operations) => count + operations.length, 0) - 1;
  for (const [position, beginning] of items.entries()) {
    const { item } = beginning;
    index += perItem[position]!.length;
    const written = results[index];
    if (written?.kind !== 'set') throw new TypeError(`Begin of item ${item}: operation ${index} is not a set.`);
    held.set(item, {
      record: recordOf(beginning, record),
      version: written.stat.version,
      token: written.stat.mzxid,
    });
  }
  return held;
}
