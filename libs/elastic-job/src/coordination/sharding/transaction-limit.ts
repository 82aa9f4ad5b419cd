import {
  ConfigurationError,
  endedRunRecord,
  firstRunRecord,
  ID_DELIMITER,
  KEPT_TRIGGERS,
  formatRunRecord,
  manualOrigin,
  PROTOCOL,
  type RunRecord,
  sharedRunRecord,
} from '../../domain/index.js';
import type { Operation, RegistryCenter } from '../../registry/index.js';
import { type BeginningItem, beginOperations, settleOperations } from '../execution/index.js';
import { JobPaths } from '../job-tree/index.js';
import { newItemOperations, stampOperation } from './plan-operations.js';

/** Longest instance id: an IPv4 address, a pid of 7 digits and a session of 16, or a configured name. */
const LONGEST_INSTANCE_ID = `255.255.255.255${ID_DELIMITER}${'9'.repeat(40)}`;
const UUID = '00000000-0000-4000-8000-000000000000';
const LONGEST_TIME = 9_999_999_999_999;
const TRACEPARENT = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`;

interface SizedJob {
  readonly jobName: string;
  readonly place: string;
  readonly shardingTotalCount: number;
}

/**
 * Asserts that the plan, and the begin of all items by one instance, each fit one transaction, since neither can be
 * split. The larger of the two limits the total.
 * @throws {ConfigurationError} that names job, limit and size
 */
export function assertFitsOneTransaction(registry: RegistryCenter, job: SizedJob): void {
  const { jobName, place, shardingTotalCount } = job;
  const paths = new JobPaths(jobName);
  const bytesOf = (total: number) => overheadBytes(registry, paths) + total * largestItem(registry, paths, total - 1);
  const bytes = bytesOf(shardingTotalCount);
  if (bytes <= registry.maxRequestBytes) return;
  const limit = greatest(shardingTotalCount - 1, (total) => bytesOf(total) <= registry.maxRequestBytes);
  throw new ConfigurationError(`job "${jobName}" (${place})`, [
    `shardingTotalCount ${shardingTotalCount}: its largest transaction has ${bytes} bytes, and a request may have ` +
      `${registry.maxRequestBytes}; at most ${limit} items fit`,
  ]);
}

/**
 * `assertFitsOneTransaction` for the many jobs of a process: names of equal length have transactions of equal size, so
 * each size is computed once.
 */
export function fitsOneTransactionOf(registry: RegistryCenter): (job: SizedJob) => void {
  const fitting = new Set<string>();
  return (job) => {
    const size = `${job.shardingTotalCount} ${Buffer.byteLength(job.jobName)}`;
    if (fitting.has(size)) return;
    assertFitsOneTransaction(registry, job);
    fitting.add(size);
  };
}

/**
 * Greatest number from 0 to `most` for which `fits` is true, found by bisection. `fits` must be true for 0, and for all
 * numbers below one for which it is true.
 */
function greatest(most: number, fits: (number: number) => boolean): number {
  let [known, beyond] = [0, most + 1];
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    if (fits(middle)) known = middle;
    else beyond = middle;
  }
  return known;
}

/**
 * Bytes of a transaction besides its items: the guards of a term and of the configuration, the flag, the own instance.
 */
function overheadBytes(registry: RegistryCenter, paths: JobPaths): number {
  const checked = [paths.leader, paths.term, paths.config, paths.instance(LONGEST_INSTANCE_ID)];
  return registry.transactionBytes([
    ...checked.map((path) => ({ kind: 'check', path, version: 1 }) as const),
    { kind: 'notify', path: paths.reshardingFlag },
  ]);
}

function largestItem(registry: RegistryCenter, paths: JobPaths, item: number): number {
  const first: RunRecord = {
    run: UUID,
    by: LONGEST_INSTANCE_ID,
    // An operator's target without parameters. With many items, parameters must be short, or the begin is refused for
    // its size.
    target: { fireTime: LONGEST_TIME, origin: manualOrigin(UUID) },
    attempt: 1,
    begunAt: LONGEST_TIME,
  };
  const record: RunRecord = {
    ...first,
    lastScheduled: LONGEST_TIME,
    triggers: Array.from({ length: KEPT_TRIGGERS }, () => UUID),
  };
  const begun: RunRecord = { ...record, trace: TRACEPARENT };
  const dropped: RunRecord = { ...record, settled: { at: LONGEST_TIME, outcome: 'aborted', cause: 'overflow' } };
  const swept = { isFailover: true, isRecordWritten: true, isCancelled: false };
  // A new item of a number that an ended one had, which only operators have run.
  const author = { run: UUID, by: LONGEST_INSTANCE_ID, at: LONGEST_TIME };
  const former = firstRunRecord(endedRunRecord({ kind: 'record', record }), LONGEST_TIME, author)!;
  const empty = registry.transactionBytes([]);
  const size = (operations: readonly Operation[]) => registry.transactionBytes(operations) - empty;
  const text = (written: RunRecord) => formatRunRecord(written, PROTOCOL);
  const beginBytes = (beginning: BeginningItem) =>
    size(beginOperations(paths, beginning, { isPersistent: true, isFailover: false, textOf: text }));
  return Math.max(
    size(newItemOperations(paths, item, LONGEST_INSTANCE_ID, text(former))),
    size([
      stampOperation(paths.record(item), text(sharedRunRecord(record.run, LONGEST_TIME, LONGEST_TIME)), 1),
      { kind: 'set', path: paths.mark(item, 'instance'), data: LONGEST_INSTANCE_ID },
    ]),
    beginBytes({ item, version: 0, isFirst: true, hasMisfire: true, record: { ...first, trace: TRACEPARENT } }),
    beginBytes({ item, version: 1, hasMisfire: true, record: begun }),
    // As large as the sweep of an item that a rescuer ran, both into the queue and past it.
    size(settleOperations(paths, { item, version: 1 }, text(begun), { ...swept, isRequeued: true })),
    size(settleOperations(paths, { item, version: 1 }, text(dropped), { ...swept, isRequeued: false })),
  );
}
