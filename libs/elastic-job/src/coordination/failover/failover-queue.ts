/**
 * Items whose holder is gone, and who runs them instead.
 *
 * State: `leader/failover/items/{item}` queues an orphaned item; the claimer's `failover` (ephemeral) and `failovering`
 * (persistent) marks say who has taken it, its `running` mark that it runs.
 *
 * Guarantees: the leader queues an orphan and drops its stale marks in one transaction under its term's guard; a claim
 * removes the entry and begins the run in one transaction, so one instance wins and no entry is lost between the two.
 * Only a run that the record shows begun and not finished is repeated. A sweep writes the item's node against the version
 * that it read, so it touches nothing that was begun or settled since, and no begin overlooks it.
 *
 * Failures: if the leader dies, gaining leadership sweeps again. If a rescuer dies, its marks are orphans like any other.
 * An instance that comes back under its configured id sweeps its own marks as it registers: nobody else can tell them
 * from new ones.
 */
import type { Clock } from '../../clock/index.js';
import {
  decideFailover,
  findOrphanedItems,
  type HolderMark,
  type ItemMarks,
  type JobName,
  type OrphanedItem,
  type Trigger,
} from '../../domain/index.js';
import type { Operation, RegistryCenter } from '../../registry/index.js';
import type { ConfigurationService } from '../configuration/index.js';
import type { ExecutionLease, ExecutionService } from '../execution/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';

/** An item that waits for an instance to take it. */
export interface PendingFailover {
  readonly item: number;
  /** `crashed`: its holder is gone; `aborted`: its holder left in order before it was done. */
  readonly cause: 'crashed' | 'aborted';
  /** The instance id that ran it last, if one of ours. */
  readonly lastHolder: string | undefined;
  /** How long it has been waiting, in milliseconds. */
  readonly ageMs: number;
}

export type Claim =
  | { readonly kind: 'claimed'; readonly item: number; readonly lease: ExecutionLease }
  /** Another instance was faster. */
  | { readonly kind: 'lost'; readonly item: number }
  /** Nothing waits that could be run now. */
  | { readonly kind: 'empty' };

export class FailoverQueue {
  constructor(
    private readonly trees: JobTrees,
    private readonly configurations: ConfigurationService,
    private readonly executions: ExecutionService,
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
  ) {}

  /** The items that wait, ascending, as of now. */
  async pending(jobName: JobName): Promise<readonly PendingFailover[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    const queue = tree.queue();
    await tree.load(queue.flatMap((item) => [tree.paths.item(item), tree.paths.queued(item)]));
    return queue.map((item) => this.describe(tree, item));
  }

  /** The leader's look for orphans: queues what is owed, drops stale marks. @returns the items that were queued */
  async sweep(tree: JobTree, term: LeadershipTerm): Promise<readonly number[]> {
    await tree.sync({ signal: term.signal });
    const attempt = async (): Promise<readonly number[] | undefined> => {
      if (!(await loadMarks(tree, term.signal))) return undefined;
      const orphans = findOrphanedItems(marksOf(tree), (instanceId) => tree.hasInstance(instanceId));
      if (orphans.length === 0) return [];
      const { failover } = this.configurations.current(tree.jobName);
      const operations = orphans.flatMap((orphan) => sweepOperations(tree, orphan, failover));
      const result = await this.registry.transaction([...term.guard, ...operations], { signal: term.signal });
      if (result.kind === 'refused') return undefined;
      return failover ? orphans.filter(({ isOwed }) => isOwed).map(({ item }) => item) : [];
    };
    return untilCommitted(tree, 'the sweep', attempt, term.signal);
  }

  /**
   * What an instance writes as it registers: marks of its own id, which it may have had before, are orphans.
   * @returns undefined if the marks have just changed: sync, and look anew
   */
  async sweepOfOwn(tree: JobTree): Promise<readonly Operation[] | undefined> {
    if (!(await loadMarks(tree, tree.signal))) return undefined;
    const { failover } = this.configurations.current(tree.jobName);
    const orphans = findOrphanedItems(marksOf(tree), (instanceId) => instanceId !== tree.self.jobInstanceId);
    return orphans.flatMap((orphan) => sweepOperations(tree, orphan, failover));
  }

  /**
   * Claims one waiting item for this instance.
   * @param from the first item to look at; the others follow cyclically
   * @param isRunningHere items to leave alone: a handler of an earlier session may still be at them
   */
  async claim(jobName: JobName, from = 0, isRunningHere: (item: number) => boolean = () => false): Promise<Claim> {
    const tree = this.trees.of(jobName);
    const queue = tree.queue().filter((item) => !isRunningHere(item));
    // What others have claimed meanwhile is unknown again, and passed over as long as there is something else.
    await tree.loadRecords(queue, { signal: tree.signal });
    const next = nextItem(tree, queue, from);
    const unknown = queue.find((item) => tree.has(tree.paths.item(item)) && tree.record(item) === undefined);
    if (next === undefined) return unknown === undefined ? { kind: 'empty' } : this.lookAgain(tree, unknown);
    const { item, decision } = next;
    if (decision.kind === 'void') return this.drop(tree, item);
    const trigger: Trigger = { jobName, ...decision.target, source: 'FAILOVER' };
    const lease = await this.executions.beginClaimed(tree, trigger, item);
    return lease === undefined ? this.lookAgain(tree, item) : { kind: 'claimed', item, lease };
  }

  // An entry whose run has been finished or never begun stands for nothing.
  private async drop(tree: JobTree, item: number): Promise<Claim> {
    await this.registry.transaction([{ kind: 'delete', path: tree.paths.queued(item) }], { signal: tree.signal });
    return this.lookAgain(tree, item);
  }

  // Usually the news that somebody was faster has come before the refusal.
  private async lookAgain(tree: JobTree, item: number): Promise<Claim> {
    if (tree.has(tree.paths.queued(item))) await tree.sync({ signal: tree.signal });
    return { kind: 'lost', item };
  }

  private describe(tree: JobTree, item: number): PendingFailover {
    const stored = tree.record(item)?.stored;
    const record = stored?.kind === 'record' ? stored.record : undefined;
    const queuedAt = tree.stat(tree.paths.queued(item))?.ctime ?? this.clock.wallNow();
    return {
      item,
      cause: record?.settled?.outcome === 'aborted' ? 'aborted' : 'crashed',
      lastHolder: record?.by,
      ageMs: Math.max(0, this.clock.wallNow() - queuedAt),
    };
  }
}

/** The first waiting item at or after `from`, cyclically, about which something can be done now. */
function nextItem(tree: JobTree, queue: readonly number[], from: number) {
  for (const item of [...queue.filter((queued) => queued >= from), ...queue.filter((queued) => queued < from)]) {
    const record = tree.record(item);
    if (record === undefined) continue; // Unknown; or beyond the total, then the leader removes it.
    const isTaken = tree.has(tree.paths.mark(item, 'failover')) || tree.has(tree.paths.mark(item, 'failovering'));
    const decision = decideFailover({ stored: record.stored, isRunning: tree.isRunning(item), isTaken });
    if (decision.kind !== 'busy') return { item, decision };
  }
  return undefined;
}

const HOLDER_MARKS: readonly HolderMark[] = ['running', 'failovering', 'failover'];

/** The marks by which items are held, and the records of those items. @see JobTree.load */
function loadMarks(tree: JobTree, signal: AbortSignal): Promise<boolean> {
  const paths = tree.items().flatMap((item) => {
    const marks = HOLDER_MARKS.map((mark) => tree.paths.mark(item, mark)).filter((path) => tree.has(path));
    return marks.length > 0 ? [...marks, tree.paths.item(item)] : [];
  });
  return tree.load(paths, { signal });
}

function* marksOf(tree: JobTree): Iterable<ItemMarks> {
  for (const item of tree.items()) {
    const holders = new Map<HolderMark, string>();
    for (const mark of HOLDER_MARKS) {
      const node = tree.node(tree.paths.mark(item, mark));
      if (node !== undefined) holders.set(mark, node.data);
    }
    if (holders.size > 0) yield { item, stored: tree.record(item)?.stored ?? { kind: 'none' }, holders };
  }
}

function sweepOperations(tree: JobTree, { item, stale, isOwed }: OrphanedItem, isFailoverOn: boolean): Operation[] {
  const { paths } = tree;
  const { data, stat } = tree.node(paths.item(item))!;
  const operations: Operation[] = [
    { kind: 'set', path: paths.item(item), data, version: stat.version },
    ...stale.map((mark): Operation => ({ kind: 'delete', path: paths.mark(item, mark) })),
  ];
  if (isOwed && isFailoverOn && !tree.has(paths.queued(item))) {
    operations.push({ kind: 'create', path: paths.queued(item), data: '', mode: 'PERSISTENT' });
  }
  return operations;
}
