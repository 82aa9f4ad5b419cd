/**
 * Items whose holder is gone: they are queued for failover, and the marks that their holder has left go.
 *
 * State: the marks of each item (`running`, `failover`, `failovering`), its record, and the queue.
 *
 * Guarantees: the leader queues an orphan and drops its stale marks in one transaction under its term's guard. A sweep
 * writes the item's record against the version that it read, so it touches nothing that was begun or settled since, and
 * no begin overlooks it.
 *
 * An instance of ours that is not registered while its session lasts was shut down by an operator. It lives, and
 * settles and queues what it aborts; its marks are orphans only if they are still there after `shutdownGraceMs`.
 *
 * The queue is bounded (`failoverQueueLimit`). An orphan that does not fit loses its marks all the same, and its record
 * says that its run was aborted and why; the item is free for its next fire time.
 *
 * Beside Java: a Java peer runs without a record, so its mark alone says that it ran; it counts as crashed once it has
 * been missing for a moment. If Java leads, one of ours sweeps all the same, and a refused sweep means that a peer was
 * faster.
 *
 * Failures: if the leader dies, gaining leadership sweeps again. An instance that comes back under its configured id
 * sweeps its own marks as it registers: nobody else can tell them from new ones.
 */
import type { Clock } from '../../clock/index.js';
import {
  failsOver,
  findOrphanedItems,
  type OrphanedItem,
  type OrphanPlace,
  type PlacedOrphan,
  placeOrphans,
  unrecordedHolders,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { Configurations } from '../configuration/index.js';
import { blamedItem } from '../execution/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import type { Absences } from '../membership/index.js';
import { loadMarks, marksOf, sweepOperations } from './sweep-operations.js';

/**
 * Who may sweep, and for how long: the leader of ours, or, if Java leads, the first instance of ours; of a disabled
 * job, anybody.
 */
export type Sweeper = Pick<LeadershipTerm, 'guard' | 'signal'>;

/** So many items hold up no other one of a sweep. */
const MOST_LEFT_OUT = 10;

/** The sweep of an instance's own marks, as it registers. */
export interface OwnSweep {
  readonly operations: readonly Operation[];
  /** Items that wait for failover once the operations are committed. */
  readonly queued: readonly number[];
  /** Items for which the queue has no place: their runs are recorded as aborted. */
  readonly overflowed: readonly number[];
}

/** Looks for orphans. */
export class OrphanSweep {
  constructor(
    private readonly configurations: Configurations,
    private readonly clock: Clock,
    private readonly absences: Absences,
    private readonly shutdowns: Absences,
  ) {}

  /**
   * A look for orphans: queues what is owed, drops stale marks. @returns the items that were queued
   * A Java peer that is missing, and an instance that was shut down, are left alone for their grace: look again when
   * `Absences` says so.
   * @param onOverflow hears of the orphans for which the queue had no place: their runs are recorded as aborted
   * @param onLeftOut hears why some could not be swept: this client may not write their nodes
   */
  async sweep(
    tree: JobTree,
    sweeper: Sweeper,
    onOverflow: (items: readonly number[]) => void = () => {},
    onLeftOut: (error: unknown) => void = () => {},
  ): Promise<readonly number[]> {
    const { signal } = sweeper;
    await tree.sync({ signal });
    const leftOut = new Set<number>();
    const attempt = async (): Promise<readonly number[] | undefined> => {
      if (!(await loadMarks(tree, signal))) return undefined;
      const orphans = this.place(tree, this.findOrphans(tree)).filter(({ item }) => !leftOut.has(item));
      if (orphans.length === 0) return [];
      const operations = orphans.flatMap((orphan) => sweepOperations(tree, orphan, this.clock.wallNow()));
      const result = await tree.commit([...sweeper.guard, ...operations], { signal }).catch((error: unknown) => {
        const blamed = blamedItem(tree, error);
        if (blamed === undefined || leftOut.size >= MOST_LEFT_OUT) throw error;
        leftOut.add(blamed);
        onLeftOut(error);
        return undefined;
      });
      if (result?.kind !== 'committed') return undefined;
      const overflowed = itemsAt(orphans, 'overflow');
      if (overflowed.length > 0) onOverflow(overflowed);
      return itemsAt(orphans, 'queue');
    };
    return untilCommitted(tree, 'the sweep', attempt, signal);
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
   * What an instance writes as it registers: marks of its own id, which it may have had before, are orphans.
   * @returns undefined if the marks have just changed: sync, and look anew
   */
  async sweepOfOwn(tree: JobTree): Promise<OwnSweep | undefined> {
    if (!(await loadMarks(tree, tree.signal))) return undefined;
    const found = findOrphanedItems(marksOf(tree), (instanceId) => instanceId !== tree.self.jobInstanceId);
    const orphans = this.place(tree, found);
    return {
      operations: orphans.flatMap((orphan) => sweepOperations(tree, orphan, this.clock.wallNow())),
      queued: itemsAt(orphans, 'queue'),
      overflowed: itemsAt(orphans, 'overflow'),
    };
  }
}

function itemsAt(orphans: readonly PlacedOrphan[], wanted: OrphanPlace): number[] {
  return orphans.filter(({ place }) => place === wanted).map(({ item }) => item);
}

function isShutDown(tree: JobTree, instanceId: string): boolean {
  return !tree.hasInstance(instanceId) && tree.hasSession(instanceId);
}
