/**
 * Running items and their holders.
 *
 * ```mermaid
 * stateDiagram-v2
 *   state "free: no mark" as free
 *   state "runs: a mark, and an open record" as runs
 *   state "orphaned: the mark's holder is gone" as orphaned
 *   free --> runs: begin
 *   runs --> free: settle
 *   runs --> orphaned: the holder dies
 *   orphaned --> free: the leader sweeps
 * ```
 *
 * State per item: the `running` mark (the holder's instance id) and its `record` (the last target begun, its holder,
 * and its settlement).
 *
 * Guarantees: an item has at most one mark, because a begin creates it. A target is begun at most once, because a begin
 * writes the record against the version that it has read. The mark, the record and the token (the record's new mzxid)
 * come from one transaction. An item whose settle has been answered never fails over.
 *
 * Failures: a lost race is named in `refused`. After a lost reply the record tells if the begin is ours. If the holder
 * dies, its mark stays (failover) or goes with its session, and the leader's sweep does the rest.
 */
import type { Clock, ScheduleTime } from '../../clock/index.js';
import {
  type JobConfiguration,
  type JobName,
  type RunningTask,
  type RunTracer,
  type ShardAssignment,
  taskOfRun,
  type Trigger,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { Configurations } from '../configuration/index.js';
import { RunNotes, type UnmetDependency } from '../dependencies/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';
import { Begin, type BegunExecution, type RunningHere } from './begin.js';
import { type ExecutionLease, UnmonitoredLease } from './execution-lease.js';
import { OwnRuns, type OwnWork } from './own-runs.js';
import { SettleQueue } from './settle-queue.js';
import type { DelayedSettles } from './delay-alarm.js';

/** An item that runs somewhere. */
export interface RunningItem {
  readonly item: number;
  /** The holder's instance id. */
  readonly instanceId: string;
  /** Milliseconds since the epoch on the registry's clock. */
  readonly since: number;
  /** The task that does its work, as last reported by its scheduler; undefined if there is none, or none is known. */
  readonly task?: RunningTask;
}

const NONE = new Map<number, never>();

const NOWHERE: RunningHere = { has: () => false, add: () => {} };

interface ExecutionOptions {
  readonly tracer?: RunTracer;
  /** @default the host's clock */
  readonly scheduleClock?: ScheduleTime;
  /** Called with each job that does not start because of how an item ended here. */
  readonly onUnmet?: (unmet: UnmetDependency) => void;
  /** Called with ends that the registry does not record in time. */
  readonly onDelayed?: (delayed: DelayedSettles) => void;
}

export class Executions {
  private readonly own = new WeakMap<JobTree, OwnWork>();

  constructor(
    private readonly trees: JobTrees,
    private readonly configurations: Configurations,
    private readonly clock: Clock,
    private readonly options: ExecutionOptions = {},
  ) {}

  /** Running items of all instances, ascending. Empty without `monitorExecution`. */
  async running(jobName: JobName): Promise<readonly RunningItem[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    const marks = ['running', 'task', 'record'] as const;
    await tree.load(tree.items().flatMap((item) => marks.map((mark) => tree.paths.mark(item, mark))));
    return tree.items().flatMap((item) => {
      const node = tree.node(tree.paths.mark(item, 'running'));
      if (node === undefined) return [];
      const task = taskOfRun(tree.node(tree.paths.mark(item, 'task'))?.data, tree.record(item)?.stored);
      return [{ item, instanceId: node.data, since: node.stat.ctime, ...(task && { task }) }];
    });
  }

  /** True if this instance has begun the item, or is about to, and the end is not known yet. From memory. */
  isOwnRun(tree: JobTree, item: number): boolean {
    return this.own.get(tree)?.runs.has(item) ?? false;
  }

  /** Ends of this instance that are overdue to be recorded. From memory. */
  delayedSettles(tree: JobTree): DelayedSettles | undefined {
    return this.own.get(tree)?.settles.delayed;
  }

  /**
   * Marks the free items of an assignment as running, in one request, and returns them as a lease.
   * @param here receives the lease immediately, since without marks nothing else keeps this process from beginning the
   * items again. Items that it already has are busy: a handler that has not returned may have no mark any more
   */
  begin({ trigger, items }: ShardAssignment, here: RunningHere = NOWHERE): Promise<BegunExecution> {
    const tree = this.trees.of(trigger.jobName);
    const configuration = this.configurations.current(trigger.jobName);
    if (configuration.monitorExecution) return this.newBegin(tree, configuration, trigger).ofFree(items, here);
    return Promise.resolve(this.beginUnmonitored(tree, trigger, items, here));
  }

  private beginUnmonitored(
    tree: JobTree,
    trigger: Trigger,
    items: readonly number[],
    here: RunningHere,
  ): BegunExecution {
    if (items.length === 0) return { lease: undefined, refused: NONE, former: NONE };
    const trace = this.options.tracer?.start(trigger);
    trace?.begun({ jobName: tree.jobName, run: undefined, items, repeated: NONE });
    const lease = new UnmonitoredLease(tree, trigger, items, trace);
    here.add(lease);
    return { lease, refused: NONE, former: NONE };
  }

  /**
   * Begins queued items, all or none: the claim of a failover. Items that do not fit one request stay in the queue.
   * @param guard further operations that the begin depends on
   * @returns undefined if another instance was faster with any of them
   */
  beginClaimed(
    tree: JobTree,
    trigger: Trigger,
    items: readonly number[],
    guard: readonly Operation[] = [],
  ): Promise<ExecutionLease | undefined> {
    return this.newBegin(tree, this.configurations.current(tree.jobName), trigger).ofClaimed(items, guard);
  }

  /** Sets the misfire flag of items that could not be begun because they still run. */
  markMisfired(jobName: JobName, items: readonly number[]): Promise<void> {
    return this.writeFlags(jobName, items, (path, isSet) =>
      isSet ? undefined : { kind: 'create', path, data: '', mode: 'PERSISTENT' },
    );
  }

  /** Removes the misfire flag of items whose fire time was begun after all. */
  clearMisfires(jobName: JobName, items: readonly number[]): Promise<void> {
    return this.writeFlags(jobName, items, (path, isSet) => (isSet ? { kind: 'delete', path } : undefined));
  }

  private async writeFlags(
    jobName: JobName,
    items: readonly number[],
    change: (path: string, isSet: boolean) => Operation | undefined,
  ): Promise<void> {
    const tree = this.trees.of(jobName);
    await repeat(untilCommitted(tree, 'the misfire flag'), async () => {
      const operations = items
        .filter((item) => tree.has(tree.paths.item(item)))
        .map((item) => tree.paths.mark(item, 'misfire'))
        .flatMap((path) => change(path, tree.has(path)) ?? []);
      if (operations.length === 0) return true;
      const result = await tree.commit(operations);
      return result.kind === 'committed' || undefined;
    });
  }

  private newBegin(tree: JobTree, configuration: JobConfiguration, trigger: Trigger): Begin {
    const tasks = this.configurations.tasksOf(tree.jobName);
    return new Begin(tree, configuration, trigger, this.ownWork(tree), this.clock, tasks, this.options.tracer);
  }

  private ownWork(tree: JobTree): OwnWork {
    const known = this.own.get(tree);
    if (known !== undefined) return known;
    const { onDelayed, onUnmet, scheduleClock } = this.options;
    const notes = new RunNotes(tree, this.clock, scheduleClock, onUnmet);
    const work = { runs: new OwnRuns(), settles: new SettleQueue(tree, this.clock, notes, onDelayed) };
    this.own.set(tree, work);
    return work;
  }
}
