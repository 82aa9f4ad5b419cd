/**
 * Which items run, and who runs them.
 *
 * ```mermaid
 * stateDiagram-v2
 *   state "free: no mark" as free
 *   state "runs: a mark, and an open record" as runs
 *   state "orphaned: the mark names nobody" as orphaned
 *   free --> runs: begin
 *   runs --> free: settle
 *   runs --> orphaned: the holder dies
 *   orphaned --> free: the leader sweeps
 * ```
 *
 * State per item: the `running` mark (the holder's instance id), and its `record` (the target that was begun last, by
 * whom, and whether it was settled).
 *
 * Guarantees: an item has at most one mark, because a begin creates it; a target is begun at most once, because a begin
 * writes the record against the version that was read. The mark, the record and the token (the record's new mzxid) come
 * from one transaction. An item whose settle has been answered is never failed over.
 *
 * Failures: a lost race is named in `refused`. After a lost reply the record tells whether the begin is ours. If the
 * holder dies its mark stays (failover) or goes with its session; the leader's sweep does the rest.
 */
import type { Clock, ScheduleTime } from '../../clock/index.js';
import {
  type BeginDecision,
  decideBegin,
  failsOver,
  type JobConfiguration,
  type JobName,
  type RefusalCause,
  type RunRecord,
  type RunTrace,
  type RunTracer,
  type Trigger,
} from '../../domain/index.js';
import { isUnanswered, type Operation, type RegistryCenter, ServerError } from '../../registry/index.js';
import type { Configurations } from '../configuration/index.js';
import { dueItems, RunNotes, type UnmetDependency } from '../dependencies/index.js';
import { type JobTree, type JobTrees, readWhenAnswering, untilCommitted } from '../job-tree/index.js';
import { blamedItem, BlockedItems } from './blocked-items.js';
import { beginningItem, beginRequest, earlyFireTimes, formerDebts, heldItems, repeatedRuns } from './begin-request.js';
import { RemovedFromJobError } from './execution.errors.js';
import type { ExecutionLease } from './execution-lease.js';
import { type HeldItem, HeldLease, type LeaseTerms } from './held-lease.js';
import { type BeginningItem, recordOf } from './item-operations.js';
import { OwnRuns } from './own-runs.js';
import { SettleQueue } from './settle-queue.js';
import type { ShardAssignment } from './shard-assignment.js';
import { UnmonitoredLease } from './unmonitored-lease.js';
import type { DelayedSettles } from './waiting-settles.js';

/** What a begin has led to. */
export interface BegunExecution {
  /** Undefined if no item could be begun. */
  readonly lease: ExecutionLease | undefined;
  readonly refused: ReadonlyMap<number, RefusalCause>;
  /** The instant after which each item of the lease owed what has come; undefined if nobody can say. */
  readonly former: ReadonlyMap<number, number | undefined>;
  /** Fire times that others have begun for items of the lease although they are yet to come. @default none */
  readonly early?: ReadonlyMap<number, readonly number[]>;
  /** Items that this client may not write, and why: they are to be begun later. @default none */
  readonly blocked?: { readonly items: readonly number[]; readonly error: unknown };
}

/** An item that runs somewhere. */
export interface RunningItem {
  readonly item: number;
  /** The holder's instance id. */
  readonly instanceId: string;
  /** Milliseconds since the epoch on the registry's clock. */
  readonly since: number;
}

/** A run that is about to be begun. */
interface NewRun {
  readonly record: RunRecord;
  readonly trace: RunTrace | undefined;
}

/** What this instance has under way of one job in one session. */
interface OwnWork {
  readonly runs: OwnRuns;
  readonly settles: SettleQueue;
  readonly blocked: BlockedItems;
}

/** So many items are left out of one begin, one after the other; more of them wait for the next one. */
const MOST_LEFT_OUT = 4;

const NONE = new Map<number, never>();

export interface ExecutionOptions {
  readonly tracer?: RunTracer;
  /** @default the host's clock */
  readonly scheduleClock?: ScheduleTime;
  /** Hears of jobs that are not started, since an item here has ended as it has. */
  readonly onUnmet?: (unmet: UnmetDependency) => void;
  /** Hears of ends that the registry does not record in time. */
  readonly onDelayed?: (delayed: DelayedSettles) => void;
}

export class Executions {
  private readonly own = new WeakMap<JobTree, OwnWork>();

  constructor(
    private readonly trees: JobTrees,
    private readonly configurations: Configurations,
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
    private readonly options: ExecutionOptions = {},
  ) {}

  /** The items that run now, on any instance, ascending. Empty without `monitorExecution`. */
  async running(jobName: JobName): Promise<readonly RunningItem[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    await tree.load(tree.items().map((item) => tree.paths.mark(item, 'running')));
    return tree.items().flatMap((item) => {
      const node = tree.node(tree.paths.mark(item, 'running'));
      return node === undefined ? [] : [{ item, instanceId: node.data, since: node.stat.ctime }];
    });
  }

  /** This instance has begun the item, or is about to, and it is not known yet how that has ended. From memory. */
  isOwnRun(tree: JobTree, item: number): boolean {
    return this.own.get(tree)?.runs.has(item) ?? false;
  }

  /** What has ended here and is not recorded yet, though that is late. From memory. */
  delayedSettles(tree: JobTree): DelayedSettles | undefined {
    return this.own.get(tree)?.settles.delayed;
  }

  /**
   * Marks the free items of an assignment as running, all in one request, and hands them over as a lease.
   * @param hold takes the lease as soon as there is one: without marks nothing else keeps this process from beginning
   *   the items again
   */
  async begin({ trigger, items }: ShardAssignment, hold?: (lease: ExecutionLease) => void): Promise<BegunExecution> {
    const tree = this.trees.of(trigger.jobName);
    const configuration = this.configurations.current(trigger.jobName);
    if (configuration.monitorExecution) {
      const begun = await this.beginMonitored(tree, configuration, trigger, items);
      if (begun.lease !== undefined) hold?.(begun.lease);
      return begun;
    }
    if (items.length === 0) return { lease: undefined, refused: NONE, former: NONE };
    const trace = this.options.tracer?.start(trigger);
    trace?.begun({ jobName: tree.jobName, run: undefined, items, repeated: NONE });
    const lease = new UnmonitoredLease(tree, trigger, items, trace);
    hold?.(lease);
    return { lease, refused: NONE, former: NONE };
  }

  /**
   * Begins queued items, all or none: the claim of a failover. What does not fit one request is left in the queue.
   * @param guard what else the begin depends on
   * @returns undefined if another instance was faster with any of them
   */
  beginClaimed(
    tree: JobTree,
    trigger: Trigger,
    items: readonly number[],
    guard: readonly Operation[] = [],
  ): Promise<ExecutionLease | undefined> {
    const configuration = this.configurations.current(tree.jobName);
    const run = this.newRun(tree, trigger);
    let beginning = items.map((item) => beginningItem(tree, trigger, item));
    const size = () =>
      this.registry.transactionBytes([
        ...guard,
        ...beginRequest(tree, configuration, trigger, beginning, run.record).flat(),
      ]);
    while (beginning.length > 1 && size() > this.registry.maxRequestBytes) {
      beginning = beginning.slice(0, Math.ceil(beginning.length / 2));
    }
    return this.commit(tree, configuration, trigger, beginning, run, guard);
  }

  /** Sets the misfire flag of items that could not be begun because they still run. */
  markMisfired(jobName: JobName, items: readonly number[]): Promise<void> {
    return this.writeFlags(jobName, items, (path, isSet) =>
      isSet ? undefined : { kind: 'create', path, data: '', mode: 'PERSISTENT' },
    );
  }

  /** Removes the misfire flag of items whose fire time has been begun after all. */
  clearMisfires(jobName: JobName, items: readonly number[]): Promise<void> {
    return this.writeFlags(jobName, items, (path, isSet) => (isSet ? { kind: 'delete', path } : undefined));
  }

  private async writeFlags(
    jobName: JobName,
    items: readonly number[],
    change: (path: string, isSet: boolean) => Operation | undefined,
  ): Promise<void> {
    const tree = this.trees.of(jobName);
    await untilCommitted(tree, 'the misfire flag', async () => {
      const operations = items
        .filter((item) => tree.has(tree.paths.item(item)))
        .map((item) => tree.paths.mark(item, 'misfire'))
        .flatMap((path) => change(path, tree.has(path)) ?? []);
      if (operations.length === 0) return true;
      const result = await this.registry.transaction(operations, { signal: tree.signal });
      return result.kind === 'committed' || undefined;
    });
  }

  private async beginMonitored(
    tree: JobTree,
    configuration: JobConfiguration,
    trigger: Trigger,
    items: readonly number[],
  ): Promise<BegunExecution> {
    const run = this.newRun(tree, trigger);
    const { blocked } = this.ownWork(tree);
    const blamed = new Set<number>();
    const attempt = async (): Promise<BegunExecution | undefined> => {
      if (!(await tree.loadRecords(items, { signal: tree.signal }))) return undefined;
      const decisions = items.map((item) => [item, decide(tree, configuration, trigger, item)] as const);
      const begun = decisions.filter(([, decision]) => decision === 'begin').map(([item]) => item);
      const refused = new Map(decisions.filter(isRefused));
      if (begun.length === 0) return { lease: undefined, refused, former: NONE };
      const together = blocked.together(begun, blamed);
      const free = together.map((item) => beginningItem(tree, trigger, item));
      const early = earlyFireTimes(tree, free);
      try {
        const lease = await this.commit(tree, configuration, trigger, free, run);
        if (lease === undefined) return undefined;
        const others = begun.filter((item) => !together.includes(item));
        const held = { lease, refused, former: formerDebts(free), early };
        return others.length === 0 ? held : { ...held, blocked: { items: others, error: blocked.errorOf(others) } };
      } catch (error) {
        const item = blamedItem(tree, error);
        // An operator's trigger is for all items, or waits.
        const isWayOn = item !== undefined && together.includes(item) && blamed.size < MOST_LEFT_OUT;
        if (!isWayOn || trigger.origin !== 'schedule') throw error;
        blocked.add(item, error);
        blamed.add(item);
        if (blocked.together(begun, blamed).length === 0) throw error;
        return attempt();
      }
    };
    return untilCommitted(tree, 'the begin', attempt);
  }

  /** @returns undefined if the transaction was refused */
  private async commit(
    tree: JobTree,
    configuration: JobConfiguration,
    trigger: Trigger,
    items: readonly BeginningItem[],
    run: NewRun,
    guard: readonly Operation[] = [],
  ): Promise<ExecutionLease | undefined> {
    // Before the registry knows of the marks: none of them is ever taken for nobody's.
    const { runs } = this.ownWork(tree);
    const begun = items.map(({ item }) => item);
    runs.enter(begun);
    let lease: ExecutionLease | undefined;
    try {
      lease = await this.tryCommit(tree, configuration, trigger, items, run, guard);
      if (lease !== undefined) this.ownWork(tree).blocked.delete(begun);
      return lease;
    } finally {
      if (lease === undefined) runs.leave(begun);
    }
  }

  private async tryCommit(
    tree: JobTree,
    configuration: JobConfiguration,
    trigger: Trigger,
    items: readonly BeginningItem[],
    run: NewRun,
    guard: readonly Operation[],
  ): Promise<ExecutionLease | undefined> {
    const [self, ...perItem] = beginRequest(tree, configuration, trigger, items, run.record);
    const terms = termsOf(tree, configuration, trigger);
    try {
      const operations = [...self, ...guard, ...perItem.flat()];
      const result = await this.registry.transaction(operations, { signal: tree.signal });
      if (result.kind === 'refused') {
        if (result.index < self.length) await this.assertRegistered(tree);
        return undefined;
      }
      const held = heldItems(items, perItem, result.results.slice(self.length + guard.length), run.record);
      return this.lease(tree, terms, items, held, run);
    } catch (error) {
      if (!isUnanswered(error) || error.fate === 'not-applied') throw error;
      const lease = await this.afterLostReply(tree, terms, items, run);
      // A server that goes on failing is asked again after a pause; a connection that broke may be back already.
      if (lease === undefined && error instanceof ServerError) throw error;
      return lease;
    }
  }

  private async assertRegistered(tree: JobTree): Promise<void> {
    const { jobInstanceId } = tree.self;
    await tree.sync({ signal: tree.signal });
    if (!tree.hasInstance(jobInstanceId)) throw new RemovedFromJobError(tree.jobName, jobInstanceId);
  }

  // The run id in the records says whether the begin whose reply was lost is ours; the mark, whether it still lasts.
  private async afterLostReply(
    tree: JobTree,
    terms: LeaseTerms,
    items: readonly BeginningItem[],
    run: NewRun,
  ): Promise<ExecutionLease | undefined> {
    const { paths } = tree;
    const { record } = run;
    const touched = items.flatMap(({ item }) => [paths.record(item), paths.mark(item, 'running')]);
    await readWhenAnswering(tree, this.clock, touched);
    const held = new Map<number, HeldItem>();
    for (const beginning of items) {
      const { item } = beginning;
      const node = tree.node(paths.record(item));
      const stored = tree.record(item)?.stored;
      if (node === undefined || stored?.kind !== 'record' || stored.record.run !== record.run) return undefined;
      if (tree.node(paths.mark(item, 'running'))?.data !== record.by) return undefined;
      held.set(item, { record: recordOf(beginning, record), version: node.stat.version, token: node.stat.mzxid });
    }
    return this.lease(tree, terms, items, held, run);
  }

  private lease(
    tree: JobTree,
    terms: LeaseTerms,
    items: readonly BeginningItem[],
    held: ReadonlyMap<number, HeldItem>,
    { record, trace }: NewRun,
  ): ExecutionLease {
    const { runs, settles } = this.ownWork(tree);
    trace?.begun({ jobName: tree.jobName, run: record.run, items: [...held.keys()], repeated: repeatedRuns(items) });
    return new HeldLease(tree, this.clock, settles, terms, held, runs, trace);
  }

  private ownWork(tree: JobTree): OwnWork {
    const known = this.own.get(tree);
    if (known !== undefined) return known;
    const { onDelayed, onUnmet, scheduleClock } = this.options;
    const notes = new RunNotes(tree, this.clock, scheduleClock, onUnmet);
    const work = {
      runs: new OwnRuns(),
      settles: new SettleQueue(tree, this.clock, notes, onDelayed),
      blocked: new BlockedItems(),
    };
    this.own.set(tree, work);
    return work;
  }

  private newRun(tree: JobTree, trigger: Trigger): NewRun {
    const trace = this.options.tracer?.start(trigger);
    const record = this.record(tree, trigger);
    const { traceparent } = trace ?? {};
    return { record: traceparent === undefined ? record : { ...record, trace: traceparent }, trace };
  }

  private record(tree: JobTree, { fireTime, origin, parameters }: Trigger): RunRecord {
    return {
      run: this.clock.uuid(),
      by: tree.self.jobInstanceId,
      target: { fireTime, origin, parameters },
      attempt: 1,
      begunAt: this.clock.wallNow(),
    };
  }
}

function termsOf(tree: JobTree, configuration: JobConfiguration, trigger: Trigger): LeaseTerms {
  const { failoverQueueLimit, maxExecutorFailovers } = configuration;
  const isFailoverOn = failsOver(configuration);
  return { trigger, isFailoverOn, failoverQueueLimit, maxExecutorFailovers, due: dueItems(tree, configuration) };
}

function decide(tree: JobTree, configuration: JobConfiguration, trigger: Trigger, item: number): BeginDecision {
  const record = tree.record(item);
  // The leader has not created the item yet, or has removed it: it will be seen with the next assignment.
  if (record === undefined) return 'busy';
  if (wasRunByFormerOwner(tree, trigger, item)) return 'alreadyBegun';
  return decideBegin(trigger, {
    stored: record.stored,
    isRunning: tree.isRunning(item),
    // Once failover is switched off, nobody comes for an entry that is left in the queue. A rescuer that has died
    // leaves only this mark until the sweep: a begin would overwrite what is still owed.
    isQueued:
      failsOver(configuration) && (tree.has(tree.paths.queued(item)) || tree.has(tree.paths.mark(item, 'failovering'))),
  });
}

// A Java peer may have begun the item for this fire time before the leader moved it here: it looks at the flag, not at
// the owner, when its trigger comes.
function wasRunByFormerOwner(tree: JobTree, { fireTime, origin, source }: Trigger, item: number): boolean {
  if (origin !== 'schedule' || source !== 'NORMAL_TRIGGER') return false;
  const movedAt = tree.stat(tree.paths.mark(item, 'instance'))?.mtime ?? -Infinity;
  const runAt = tree.lastRuns.unrecordedAt(item) ?? -Infinity;
  return movedAt >= fireTime && runAt >= fireTime;
}

function isRefused(entry: readonly [number, BeginDecision]): entry is readonly [number, RefusalCause] {
  return entry[1] !== 'begin';
}
