/**
 * Items that wait to be run again, and their claims.
 *
 * ```mermaid
 * stateDiagram-v2
 *   orphaned --> queued: the leader sweeps
 *   orphaned --> given_up: the queue is full
 *   aborted --> queued: its settle queues it
 *   queued --> runs: an instance claims it
 *   queued --> given_up: the item is no more, or the job is disabled
 *   runs --> orphaned: the rescuer dies
 *   runs --> settled: its run ends
 * ```
 *
 * State: `leader/failover/items/{item}` queues an item. The claimer's `failover` (ephemeral) and `failovering`
 * (persistent) marks name the instance that has taken it, and its `running` mark means that it runs.
 *
 * Guarantees: a claim removes the entries and begins the runs in one transaction, so one instance wins and no entry is
 * lost in between. A task that outlives its scheduler is queued for adoption, even without failover, and the item's
 * owner adopts it. A claim takes several items of one target, at most a fair part of the queue, all or none. Only two
 * kinds of runs are repeated: one that the record shows begun and not finished, and one that its settle has queued
 * because it was aborted or its executor died.
 *
 * Beside Java: a claim holds the latch that Java's claims hold.
 *
 * Failures: if a rescuer dies, its marks are orphans like any other. @see OrphanSweep
 */
import type { Clock } from '../../clock/index.js';
import {
  decideFailover,
  type ExecutorDeathState,
  type FailoverDecision,
  failoverShare,
  failsOver,
  isExecutorDeathState,
  isLeftToAdopt,
  isSameTarget,
  type JobName,
  lastFireTime,
  type QueuedItemState,
  type RunRecord,
  singleFrom,
  type Target,
  timetableOf,
  type Trigger,
} from '../../domain/index.js';
import { acquireLatch, type HeldLatch, type Operation } from '../../registry/index.js';
import type { Configurations } from '../configuration/index.js';
import type { ExecutionLease, Executions } from '../execution/index.js';
import type { JobTree, JobTrees } from '../job-tree/index.js';

/** Longest wait for Java's latch. A claim that does not get it is tried later. */
const LATCH_TIMEOUT_MS = 5_000;

/** Result of a claim. */
type Claim =
  | { readonly kind: 'claimed'; readonly lease: ExecutionLease }
  /** Another instance was faster with one of them. */
  | { readonly kind: 'lost'; readonly items: readonly number[] }
  /** No waiting item can be run now. */
  | { readonly kind: 'empty' };

/** Limits of a claim. */
interface ClaimLimits {
  /** Most items to take. @default a fair part of the queue, which is never exceeded */
  readonly most?: number;
  /** Takes a single item, the first from this one on, cyclically. @default the start of this instance's part */
  readonly from?: number;
  /** Selects items that may be taken, as a handler of an earlier session may still run one. @default all */
  readonly mayTake?: (item: number) => boolean;
}

/** A waiting item that can be claimed or dropped. */
interface Claimable {
  readonly item: number;
  readonly decision: Exclude<FailoverDecision, { readonly kind: 'busy' }>;
}

/** Queue of items that wait to be run again, and this instance's claims. */
export class FailoverQueue {
  constructor(
    private readonly trees: JobTrees,
    private readonly configurations: Configurations,
    private readonly executions: Executions,
    private readonly clock: Clock,
  ) {}

  /** Items that wait now, ascending. */
  async pending(jobName: JobName): Promise<readonly PendingFailover[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    const queue = tree.queue();
    await tree.load(queue.flatMap((item) => [tree.paths.record(item), tree.paths.queued(item)]));
    return queue.map((item) => describePending(tree, item, this.clock.wallNow()));
  }

  /** Items whose last run found the queue full, ascending, as of now. An item's next run removes it from the list. */
  async overflowed(jobName: JobName): Promise<readonly OverflowedItem[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    await tree.loadRecords(tree.items());
    return tree.items().flatMap((item) => describeOverflowed(tree, item) ?? []);
  }

  /**
   * Claims waiting items of one target for this instance, in one transaction; none if an operator has disabled its
   * server. Beside Java one item.
   * @throws {NoAuthError} if one of them may not be written
   */
  async claim(jobName: JobName, limits: ClaimLimits = {}): Promise<Claim> {
    const tree = this.trees.of(jobName);
    const { mayTake = () => true } = limits;
    if (tree.serverStatus(tree.self.serverIp) !== 'ENABLED') return { kind: 'empty' };
    // The leader removes items beyond the total.
    const { shardingTotalCount } = this.configurations.current(tree.jobName);
    const queue = tree.queue().filter((item) => item < shardingTotalCount && mayTake(item));
    // Items that others have claimed meanwhile are unknown again, and skipped while there are others.
    await this.loadQueued(tree, queue);
    const chosen = this.choose(tree, queue, limits);
    const [first] = chosen;
    const unknown = queue.find((item) => tree.has(tree.paths.item(item)) && tree.record(item) === undefined);
    if (first === undefined) return unknown === undefined ? { kind: 'empty' } : this.lostRace(tree, [unknown]);
    const { decision, item } = first;
    if (decision.kind === 'void') return this.drop(tree, item);
    if (tree.company.takesUnderLatch) return this.claimUnderLatch(tree, item);
    const items = chosen.filter((next) => isFor(next, decision.target)).map((next) => next.item);
    return this.take(tree, items, decision.target);
  }

  // Java checks and takes in separate writes, under a latch.
  private async claimUnderLatch(tree: JobTree, item: number): Promise<Claim> {
    const { signal, paths } = tree;
    const latch = await acquireLatch(tree.registry, this.clock, paths.failoverLatch, {
      timeoutMs: LATCH_TIMEOUT_MS,
      signal,
    });
    const lost = { kind: 'lost', items: [item] } as const;
    if (latch === undefined) return lost;
    try {
      await tree.sync({ signal });
      if (!tree.isQueued(item) || !(await this.loadQueued(tree, [item]))) return lost;
      const decision = this.decide(tree, item);
      return decision?.kind === 'begin' ? await this.take(tree, [item], decision.target, latch) : lost;
    } finally {
      void latch.release(); // Not awaited, since nothing here waits for it.
    }
  }

  private async take(tree: JobTree, items: readonly number[], target: Target, latch?: HeldLatch): Promise<Claim> {
    const trigger: Trigger = { jobName: tree.jobName, ...target, source: 'FAILOVER' };
    const server = tree.paths.server(tree.self.serverIp);
    // It may have been disabled while the records were read.
    if (tree.serverStatus(tree.self.serverIp) === 'DISABLED') return { kind: 'empty' };
    const guard: Operation[] = [
      // Checked, since an operator may be disabling the server.
      { kind: 'check', path: server, version: tree.stat(server)?.version },
      ...(latch === undefined ? [] : [{ kind: 'check', path: latch.path } as const]),
    ];
    const lease = await this.executions.beginClaimed(tree, trigger, items, guard);
    return lease === undefined ? this.lostRace(tree, items) : { kind: 'claimed', lease };
  }

  // Drops an entry whose run was finished or never begun, unless the item was begun since.
  private async drop(tree: JobTree, item: number): Promise<Claim> {
    const { paths, signal } = tree;
    const entry: Operation = { kind: 'delete', path: paths.queued(item) };
    await tree.commit([tree.recordAsRead(item), entry], { signal });
    return this.lostRace(tree, [item]);
  }

  // News that another instance was faster has usually come before the refusal; otherwise a sync is needed.
  private async lostRace(tree: JobTree, items: readonly number[]): Promise<Claim> {
    if (items.every((item) => tree.has(tree.paths.queued(item)))) await tree.sync({ signal: tree.signal });
    return { kind: 'lost', items };
  }

  /** Loads records, and the ages of the entries. @see JobTree.load */
  private loadQueued(tree: JobTree, queue: readonly number[]): Promise<boolean> {
    const paths = queue.flatMap((item) => [tree.paths.record(item), tree.paths.queued(item)]);
    return tree.load(paths, { signal: tree.signal });
  }

  /** Claimable items up to the limit, in the order in which this instance looks at them. */
  private choose(tree: JobTree, queue: readonly number[], { most = Infinity, from }: ClaimLimits): Claimable[] {
    const ids = tree.availableInstances().map(({ jobInstanceId }) => jobInstanceId);
    const claimer = { rank: Math.max(0, ids.indexOf(tree.self.jobInstanceId)), claimers: Math.max(1, ids.length) };
    const share = from === undefined ? failoverShare(queue, claimer) : singleFrom(queue, from);
    const claimable = share.inOrder.flatMap((item): Claimable[] => {
      if (this.isLeftToOthers(tree, item)) return [];
      const decision = this.decide(tree, item);
      return decision === undefined || decision.kind === 'busy' ? [] : [{ item, decision }];
    });
    return claimable.slice(0, Math.min(most, share.most));
  }

  /**
   * True if the item's owner should adopt its task. Without failover only tasks are taken over, and of a disabled item
   * as well: anything else of it waits until it is enabled.
   */
  private isLeftToOthers(tree: JobTree, item: number): boolean {
    if (!tree.isToBeAdopted(item)) {
      return tree.isDisabled(item) || !failsOver(this.configurations.current(tree.jobName));
    }
    const owner = tree.owner(item);
    if (owner === tree.self.jobInstanceId) return false;
    return tree.availableInstance(owner) !== undefined;
  }

  /** @returns undefined if the item's record is unknown, or the item is beyond the total and left to the leader */
  private decide(tree: JobTree, item: number): FailoverDecision | undefined {
    const record = tree.record(item);
    if (record === undefined) return undefined;
    const { paths } = tree;
    const { stored } = record;
    return decideFailover({
      stored,
      isRunning: tree.isRunning(item),
      isTaken: tree.has(paths.mark(item, 'failover')) || tree.has(paths.mark(item, 'failovering')),
      endsByMark: tree.company.endsByMark,
      lastRun: tree.lastRuns.of(item),
      holder: stored.kind === 'record' ? holderOf(tree, stored.record.by) : 'gone',
      unrecorded: this.unrecordedTarget(tree, item),
    });
  }

  private unrecordedTarget(tree: JobTree, item: number): Target {
    const queuedAt = tree.stat(tree.paths.queued(item))?.ctime ?? this.clock.wallNow();
    const configuration = this.configurations.current(tree.jobName);
    return { fireTime: lastFireTime(timetableOf(configuration, true), queuedAt) ?? queuedAt, origin: 'schedule' };
  }
}

function isFor({ decision }: Claimable, target: Target): boolean {
  return decision.kind === 'begin' && isSameTarget(decision.target, target);
}

function holderOf(tree: JobTree, instanceId: string): QueuedItemState['holder'] {
  if (instanceId === tree.self.jobInstanceId) return 'self';
  return tree.hasInstance(instanceId) ? 'other' : 'gone';
}

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
function describePending(tree: JobTree, item: number, now: number): PendingFailover {
  const record = recordOf(tree, item);
  const queuedAt = tree.stat(tree.paths.queued(item))?.ctime ?? now;
  return { item, ...causeOf(record), lastHolder: record?.by, ageMs: Math.max(0, now - queuedAt) };
}

/** @returns undefined if the item's last run ended otherwise */
function describeOverflowed(tree: JobTree, item: number): OverflowedItem | undefined {
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
