import { type EarlyRuns, owesAfterTrigger, formatRunRecord, type RunRecord } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { type JobPaths, recordCreation } from '../job-tree/index.js';

/** An item that is about to be begun. */
export interface BeginningItem {
  readonly item: number;
  /** Version of the item's record as it was read: what makes the begin a compare-and-set. */
  readonly version: number;
  /** None of ours has run the item yet: its record is created. @default false */
  readonly isFirst?: boolean;
  readonly hasMisfire: boolean;
  /** What a later version has left in its record. @default nothing */
  readonly carried?: Readonly<Record<string, unknown>>;
  /** The last fire time of the schedule that it was begun for, if any. */
  readonly lastScheduled?: number;
  /** The instant after which it owed fire times; undefined: nobody can say. */
  readonly owesAfter?: number;
  /** The triggers of operators that it was begun for, by their ids. @default none */
  readonly triggers?: readonly string[];
  /** What was begun before its time, as far as it is yet to come. */
  readonly early?: EarlyRuns;
  /** How often an executor of this very target has died before. */
  readonly executorDeaths?: number;
  /** Of work in tasks: which launch of its target this is. */
  readonly launch?: number;
  /** What names the run of this very target that is repeated, if it was traced. */
  readonly repeated?: string;
}

/** The record of one item's begin: it keeps what the schedule and operators have begun before, or given up. */
export function recordOf(
  { carried, lastScheduled, owesAfter, triggers = [], early, executorDeaths, launch }: BeginningItem,
  record: RunRecord,
): RunRecord {
  const { fireTime, origin } = record.target;
  const isEarly = early?.fireTimes.includes(fireTime) ?? false;
  const isBeyond = lastScheduled !== undefined && (origin !== 'schedule' || isEarly || lastScheduled > fireTime);
  const owes =
    lastScheduled === undefined && origin !== 'schedule' ? (owesAfter ?? owesAfterTrigger(record)) : undefined;
  return {
    ...carried,
    ...record,
    ...(executorDeaths !== undefined && { executorDeaths }),
    ...(launch !== undefined && { launch }),
    ...(isBeyond && { lastScheduled }),
    ...(owes !== undefined && { owesAfter: owes }),
    ...(triggers.length > 0 && { triggers }),
    ...(early !== undefined && { early }),
  };
}

/** How an item is begun. */
interface BeginModes {
  /** The running mark outlives the session. */
  readonly isPersistent: boolean;
  readonly isFailover: boolean;
  /** In which the record is written. */
  readonly protocol: number;
}

/**
 * The begin of one item: its running mark, its record, and for a failover the claim. The record is always written last,
 * so that the last result of the item carries its token.
 */
export function beginOperations(
  paths: JobPaths,
  beginning: BeginningItem,
  record: RunRecord,
  { isPersistent, isFailover, protocol }: BeginModes,
): Operation[] {
  const { item, version, isFirst = false, hasMisfire } = beginning;
  const claim: Operation[] = isFailover
    ? [
        { kind: 'delete', path: paths.queued(item) },
        { kind: 'create', path: paths.mark(item, 'failover'), data: record.by, mode: 'EPHEMERAL' },
        { kind: 'create', path: paths.mark(item, 'failovering'), data: record.by, mode: 'PERSISTENT' },
      ]
    : [];
  const misfire: Operation[] = hasMisfire ? [{ kind: 'delete', path: paths.mark(item, 'misfire') }] : [];
  return [
    ...claim,
    ...misfire,
    // A persistent mark outlives the session: it is what tells the survivors which items were running.
    {
      kind: 'create',
      path: paths.mark(item, 'running'),
      data: record.by,
      mode: isPersistent ? 'PERSISTENT' : 'EPHEMERAL',
    },
    ...(isFirst ? [recordCreation(paths, item)] : []),
    { kind: 'set', path: paths.record(item), data: formatRunRecord(recordOf(beginning, record), protocol), version },
  ];
}

/** How an item's run has ended. */
export interface SettleModes {
  readonly isFailover: boolean;
  readonly isRequeued: boolean;
  /** False: the mark's removal alone tells; a data write costs every Java peer two requests. */
  readonly isRecordWritten: boolean;
  /** A request to cancel stands: it goes with the run. */
  readonly isCancelled: boolean;
}

/**
 * The end of one item's run. The record's version proves that nobody has begun the item since.
 * @param record as text, with the end in it
 */
export function settleOperations(
  paths: JobPaths,
  { item, version }: { readonly item: number; readonly version: number },
  record: string,
  { isFailover, isRequeued, isRecordWritten, isCancelled }: SettleModes,
): Operation[] {
  const path = paths.record(item);
  const claim: Operation[] = isFailover
    ? [
        { kind: 'delete', path: paths.mark(item, 'failover') },
        { kind: 'delete', path: paths.mark(item, 'failovering') },
      ]
    : [];
  const queue: Operation[] = isRequeued
    ? [{ kind: 'create', path: paths.queued(item), data: '', mode: 'PERSISTENT' }]
    : [];
  const cancel: Operation[] = isCancelled ? [{ kind: 'delete', path: paths.cancel(item) }] : [];
  return [
    isRecordWritten ? { kind: 'set', path, data: record, version } : { kind: 'check', path, version },
    { kind: 'delete', path: paths.mark(item, 'running') },
    ...claim,
    ...queue,
    ...cancel,
  ];
}
