/**
 * Items whose holder is gone: they are queued for failover, and the stale marks are removed.
 *
 * State: the marks of each item (`running`, `failover`, `failovering`), its record, and the queue.
 *
 * Guarantees: the leader queues an orphan and removes its stale marks in one transaction under its term's guard. A
 * sweep writes the item's record against the version that it has read. So it never touches a later begin or settle, and
 * no begin overlooks it.
 *
 * An instance of ours that is not registered while its session lasts was shut down by an operator. It lives, and
 * settles and queues the runs that it aborts; its marks are orphans only if they still exist after `shutdownGraceMs`.
 *
 * The queue is bounded (`failoverQueueLimit`). An orphan that does not fit loses its marks too, and its record says
 * that its run was aborted and why; the item is then free for its next fire time.
 *
 * Beside Java: a Java peer writes no record, so only its mark shows the run. It counts as crashed after it has been
 * missing for a moment. If Java leads, an instance of ours sweeps all the same; a refused sweep means that a peer was
 * faster.
 *
 * Failures: if the leader dies, the next leader sweeps again. An instance that comes back under its configured id
 * sweeps its own marks as it registers, since others cannot tell them from new ones.
 */
import type { Clock } from '../../clock/index.js';
import {
  byFireTime,
  type CutShortRuns,
  droppedRunRecord,
  failsOver,
  findOrphanedItems,
  HOLDER_MARKS,
  type HolderMark,
  type ItemMarks,
  type OrphanedItem,
  type OrphanPlace,
  parseCancelRequest,
  type PlacedOrphan,
  placeOrphans,
  type RunRecord,
  stopOf,
  stoppedRunRecord,
  type StoredRecord,
  stopRequestedRecord,
  unrecordedHolders,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import type { Configurations } from '../configuration/index.js';
import { loadProgress, progressOperations } from '../execution/index.js';
import { type Authority, type JobTree, untilCommitted } from '../job-tree/index.js';
import type { Absences } from '../membership/index.js';

/** Sweep of an instance's own marks, as it registers. */
export interface OwnSweep {
  readonly operations: readonly Operation[];
  /** Items that wait for failover once the operations are committed. */
  readonly queued: readonly number[];
  /** Items that found the queue full. Their runs are recorded as aborted. */
  readonly overflowed: readonly number[];
  /** Runs that had been told to stop for good. They are recorded as ended. */
  readonly stopped: readonly CutShortRuns[];
}

/** Receiver of a sweep's consequences besides the items that it queues. */
interface SweepListener {
  /** Called with orphans that found the queue full; their runs are recorded as aborted. */
  readonly onOverflow?: (items: readonly number[]) => void;
  /** Called with runs that had been told to stop for good; they are recorded as ended. */
  readonly onStopped?: (runs: CutShortRuns) => void;
}

/** Finds and sweeps orphans. */
export class OrphanSweep {
  constructor(
    private readonly configurations: Configurations,
    private readonly clock: Clock,
    private readonly absences: Absences,
    private readonly shutdowns: Absences,
  ) {}

  /**
   * Looks for orphans, queues the owed ones and removes stale marks. A missing Java peer, and an instance that was shut
   * down, are left alone for their grace; look again when `Absences` says so.
   * @returns the items that were queued
   * @throws {NoAuthError} if one of the orphans may not be written; then all of them stay as they are
   */
  async sweep(
    tree: JobTree,
    authority: Authority,
    { onOverflow = () => {}, onStopped = () => {} }: SweepListener = {},
  ): Promise<readonly number[]> {
    const { signal } = authority;
    await tree.sync({ signal });
    const attempt = async (): Promise<readonly number[] | undefined> => {
      if (!(await loadMarks(tree, signal))) return undefined;
      const orphans = this.place(tree, this.findOrphans(tree));
      if (orphans.length === 0) return [];
      // An orphan is queued, or dropped, by the total and by failover being on.
      const guard = [...authority.guard, ...tree.configAsRead()];
      const result = await tree.commit([...guard, ...this.operations(tree, orphans)], { signal });
      if (result.kind !== 'committed') return undefined;
      const overflowed = itemsAt(orphans, 'overflow');
      if (overflowed.length > 0) onOverflow(overflowed);
      for (const runs of stoppedOf(orphans)) onStopped(runs);
      return itemsAt(orphans, 'queue');
    };
    return repeat(untilCommitted(tree, 'the sweep', signal), attempt);
  }

  private operations(tree: JobTree, orphans: readonly PlacedOrphan[]): Operation[] {
    const mayRepeat = orphans.some(({ place }) => place === 'queue');
    const operations = orphans.flatMap((orphan) => sweepOperations(tree, orphan, this.clock.wallNow()));
    return mayRepeat ? [...cancelsAsLoaded(tree), ...operations] : operations;
  }

  private place(tree: JobTree, orphans: readonly OrphanedItem[]): PlacedOrphan[] {
    const configuration = this.configurations.current(tree.jobName);
    const { failoverQueueLimit, shardingTotalCount } = configuration;
    const queued = new Set(tree.queue());
    const isFailoverOn = failsOver(configuration);
    return placeOrphans(orphans, { isFailoverOn, queued, failoverQueueLimit, shardingTotalCount });
  }

  private findOrphans(tree: JobTree): OrphanedItem[] {
    const marks = marksOf(tree);
    const unrecorded = new Set(marks.flatMap(unrecordedHolders));
    const shutDown = new Set(
      marks.flatMap(({ holders }) => [...holders.values()]).filter((id) => isShutDown(tree, id)),
    );
    this.absences.note(tree, unrecorded);
    this.shutdowns.note(tree, shutDown);
    return findOrphanedItems(marks, (holder) => {
      if (shutDown.has(holder)) return !this.shutdowns.isGone(tree, holder);
      return unrecorded.has(holder) ? !this.absences.isGone(tree, holder) : tree.hasInstance(holder);
    });
  }

  /**
   * Sweep for a registering instance: marks of its own id from an earlier life are orphans.
   * @returns undefined if the marks have just changed: sync, and read again
   */
  async sweepOfOwn(tree: JobTree): Promise<OwnSweep | undefined> {
    if (!(await loadMarks(tree, tree.signal))) return undefined;
    const found = findOrphanedItems(marksOf(tree), (instanceId) => instanceId !== tree.self.jobInstanceId);
    const orphans = this.place(tree, found);
    const operations = this.operations(tree, orphans);
    return {
      operations: operations.length === 0 ? [] : [...tree.configAsRead(), ...operations],
      queued: itemsAt(orphans, 'queue'),
      overflowed: itemsAt(orphans, 'overflow'),
      stopped: stoppedOf(orphans),
    };
  }
}

function itemsAt(orphans: readonly PlacedOrphan[], wanted: OrphanPlace): number[] {
  return orphans.filter(({ place }) => place === wanted).map(({ item }) => item);
}

function stoppedOf(orphans: readonly PlacedOrphan[]): readonly CutShortRuns[] {
  const stopped = orphans.filter(({ place }) => place === 'stopped');
  return byFireTime(stopped.map(({ item, run }) => ({ item, run: run!, reason: stopOf(run!)! })));
}

function isShutDown(tree: JobTree, instanceId: string): boolean {
  return !tree.hasInstance(instanceId) && tree.hasSession(instanceId);
}

/**
 * Loads the marks by which items are held, and the records and cancels of those items, with the progress that the ends
 * of their runs write. @see JobTree.load
 */
export async function loadMarks(
  tree: JobTree,
  signal: AbortSignal,
  items: readonly number[] = tree.items(),
): Promise<boolean> {
  const marked = items.filter((item) => tree.isMarked(item));
  const paths = marked.flatMap((item) => [
    ...[...HOLDER_MARKS, 'record' as const].map((name) => tree.paths.mark(item, name)),
    tree.paths.cancel(item),
  ]);
  if (paths.length > 0) paths.push(tree.paths.cancels);
  return (await tree.load(paths, { signal })) && loadProgress(tree, marked, paths, { signal });
}

/** Operations that are refused if an operator has cancelled a run since the marks were loaded. */
function cancelsAsLoaded(tree: JobTree): Operation[] {
  const path = tree.paths.cancels;
  const stat = tree.stat(path);
  return [stat === undefined ? { kind: 'absent', path } : { kind: 'check', path, version: stat.version }];
}

/** Loaded marks of items. */
export function marksOf(tree: JobTree, items: readonly number[] = tree.items()): ItemMarks[] {
  return items.map((item) => {
    const holders = new Map<HolderMark, string>();
    for (const mark of HOLDER_MARKS) {
      const node = tree.node(tree.paths.mark(item, mark));
      if (node !== undefined) holders.set(mark, node.data);
    }
    return { item, stored: storedOf(tree, item), holders };
  });
}

/** The item's record. A request to cancel its run counts as recorded, even if the holder has not seen it. */
function storedOf(tree: JobTree, item: number): StoredRecord {
  const stored = tree.record(item)?.stored ?? { kind: 'none' };
  const request = tree.node(tree.paths.cancel(item));
  if (stored.kind === 'none' || request === undefined) return stored;
  const { record } = stored;
  const { run, isConfirmedLost } = parseCancelRequest(request.data);
  if (run !== record.run || isConfirmedLost || stopOf(record) !== undefined) return stored;
  return { kind: 'record', record: stopRequestedRecord(record, 'cancelled') };
}

/**
 * Operations that remove an orphan's stale marks and put it into its place, unless the item was begun or settled since
 * it was read.
 * @param at end of an orphan that is not repeated, in milliseconds since the epoch
 */
function sweepOperations(tree: JobTree, orphan: PlacedOrphan, at: number): Operation[] {
  const { paths } = tree;
  const { item, stale, place } = orphan;
  const swept = orphan.run && sweptRecord(orphan.run, place, at);
  const operations = [
    ...proveUntouched(tree, orphan, swept),
    ...(swept === undefined ? [] : progressOperations(tree, item, swept)),
    ...stale.map((mark): Operation => ({ kind: 'delete', path: paths.mark(item, mark) })),
  ];
  if (place === 'queue') operations.push({ kind: 'create', path: paths.queued(item), data: '', mode: 'PERSISTENT' });
  return operations;
}

// A Java peer that has taken the item since it was read has created a failover mark.
function proveUntouched(tree: JobTree, orphan: PlacedOrphan, swept: RunRecord | undefined): Operation[] {
  const { item } = orphan;
  const record = recordOperation(tree, orphan, swept);
  const taken = tree.paths.mark(item, 'failover');
  if (!tree.company.changesMarksAlone || tree.has(taken)) return [record];
  return [record, { kind: 'absent', path: taken }];
}

// Rewrites the record of a lost run, so that no begin overlooks the sweep. Runs of Java have no record.
function recordOperation(tree: JobTree, { item, run }: PlacedOrphan, swept: RunRecord | undefined): Operation {
  if (run === undefined) return tree.recordAsRead(item);
  const path = tree.paths.record(item);
  const { data, stat } = tree.node(path)!;
  return { kind: 'set', path, data: swept ? tree.recordText(swept) : data, version: stat.version };
}

/** The end of a run that is not repeated, or the stop of one whose task is adopted; undefined: the record stays. */
function sweptRecord(run: RunRecord, place: OrphanPlace, at: number): RunRecord | undefined {
  if (place === 'overflow') return droppedRunRecord(run, at, 'overflow');
  const stop = stopOf(run);
  if (stop === undefined) return undefined;
  return place === 'stopped' ? stoppedRunRecord(run, at, stop) : run;
}
