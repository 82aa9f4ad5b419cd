import type { Clock } from '../../clock/index.js';
import {
  type BeginDecision,
  decideBegin,
  ElasticJobError,
  failsOver,
  isLeftToAdopt,
  type JobConfiguration,
  type JobName,
  type RefusalCause,
  rerunIdOf,
  type RunRecord,
  type RunTrace,
  type RunTracer,
  type StoredRecord,
  type TaskLife,
  type Trigger,
} from '../../domain/index.js';
import { isUnanswered, type Operation, ServerError } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { expectedItems } from '../dependencies/index.js';
import { type ItemRecord, type JobTree, readNow, untilCommitted, untilDone } from '../job-tree/index.js';
import {
  type BeginModes,
  type BeginningItem,
  type BeginRequest,
  beginRequest,
  earlyFireTimes,
  formerOwesAfter,
  heldItems,
  newRecord,
  type NextRun,
  nextRunAfter,
  repeatedRuns,
  type HeldItem,
} from './item-operations.js';
import type { ExecutionLease } from './execution-lease.js';
import { HeldLease, type LeaseTerms } from './held-lease.js';
import type { OwnWork } from './own-runs.js';
import { isNextOfRerun } from './rerun-progress.js';

/** Result of a begin. */
export interface BegunExecution {
  /** Undefined if no item could be begun. */
  readonly lease: ExecutionLease | undefined;
  readonly refused: ReadonlyMap<number, RefusalCause>;
  /** Instant after which each item of the lease owed fire times; undefined if it is unknown. */
  readonly former: ReadonlyMap<number, number | undefined>;
  /** Future fire times that other instances have already begun for items of the lease. @default none */
  readonly early?: ReadonlyMap<number, readonly number[]>;
}

/** The items of one job that run in this process. */
export interface RunningHere {
  has(item: number): boolean;
  add(lease: ExecutionLease): void;
}

/** Place of the operation that checks this instance. */
const SELF = 0;
const NO_RECORD: StoredRecord = { kind: 'none' };

/** One begin: marks and records of items of one job, for one trigger, in one transaction. */
export class Begin {
  private readonly trace: RunTrace | undefined;
  private readonly record: RunRecord;
  private readonly modes: BeginModes;
  /** Id of the re-run that has the trigger; undefined for any other. */
  private readonly rerun: string | undefined;
  /** The last record that was looked at: most items of a job have equal ones. */
  private lastNext: { readonly after: StoredRecord; readonly next: NextRun } | undefined;

  constructor(
    private readonly tree: JobTree,
    private readonly configuration: JobConfiguration,
    private readonly trigger: Trigger,
    private readonly own: OwnWork,
    private readonly clock: Clock,
    private readonly tasks: TaskLife | undefined,
    tracer?: RunTracer,
  ) {
    this.trace = tracer?.start(trigger);
    this.record = newRecord(tree, trigger, clock, tasks, this.trace?.traceparent);
    const isFailover = trigger.source === 'FAILOVER';
    // A target that was begun is repeated even if its re-run is withdrawn.
    this.rerun = isFailover ? undefined : rerunIdOf(trigger.origin);
    // A dead rescuer is recognised by its `failovering` mark. Its running mark is ephemeral, since Java 3.0.4 would
    // fail on a persistent one.
    const isPersistent = (failsOver(configuration) || tasks === 'adoptable') && !isFailover;
    this.modes = { isPersistent, isFailover, textOf: (record) => tree.recordText(record) };
  }

  /** Begins the free ones of the items, and adds the lease. @throws {NoAuthError} if one of them may not be written */
  ofFree(items: readonly number[], here: RunningHere): Promise<BegunExecution> {
    return repeat(untilCommitted(this.tree, 'the begin'), () => this.tryFree(items, here));
  }

  /**
   * Begins items that wait for failover, all or none. Items that do not fit one request are left out.
   * @param guard further operations that the begin depends on
   * @returns undefined if another instance was faster with any of them
   */
  ofClaimed(items: readonly number[], guard: readonly Operation[]): Promise<ExecutionLease | undefined> {
    const { tree } = this;
    const { registry } = tree;
    let beginning = items.map((item) => this.beginning(item, tree.record(item)));
    const size = () => registry.transactionBytes(this.request(beginning, guard).operations);
    while (beginning.length > 1 && size() > registry.maxRequestBytes) {
      beginning = beginning.slice(0, Math.ceil(beginning.length / 2));
    }
    return this.commit(beginning, guard);
  }

  /** @returns undefined if another instance was faster */
  private async tryFree(items: readonly number[], here: RunningHere): Promise<BegunExecution | undefined> {
    const { tree } = this;
    const records = await tree.loadRecords(items, { signal: tree.signal });
    if (records === undefined) return undefined;
    if (this.rerun !== undefined && !(await this.loadRerun(this.rerun, items))) return undefined;
    const { begun, refused } = this.judge(items, records, here);
    if (begun.length === 0) return { lease: undefined, refused: refused, former: new Map() };
    const early = earlyFireTimes(begun);
    const lease = await this.commit(begun, this.rerunAsRead());
    if (lease === undefined) return undefined;
    here.add(lease);
    return { lease, refused: refused, former: formerOwesAfter(begun), early };
  }

  /** @returns false if something has changed meanwhile */
  private loadRerun(id: string, items: readonly number[]): Promise<boolean> {
    const { paths, signal } = this.tree;
    return this.tree.load([paths.rerun(id), ...items.map((item) => paths.rerunItem(id, item))], { signal });
  }

  // Refused once the re-run is withdrawn.
  private rerunAsRead(): readonly Operation[] | undefined {
    if (this.rerun === undefined) return undefined;
    const path = this.tree.paths.rerun(this.rerun);
    return [{ kind: 'check', path, version: this.tree.stat(path)?.version }];
  }

  /**
   * @param guard further conditions, of a claim or a re-run. A begin with a guard leaves at once and alone: other
   *   instances race for a claim, and a re-run is due long since
   * @returns undefined if the transaction was refused
   */
  private async commit(
    items: readonly BeginningItem[],
    guard?: readonly Operation[],
  ): Promise<ExecutionLease | undefined> {
    const { own, tree, trigger } = this;
    const begun = items.map(({ item }) => item);
    const { operations, records } = this.request(items, guard);
    let lease: ExecutionLease | undefined;
    // Entered before the registry has the marks, so that none of them is ever taken for a stray one.
    own.runs.enter(begun);
    try {
      const result = await (guard ? tree.commit(operations) : tree.commitShared(operations, trigger.fireTime));
      if (result.kind === 'committed') {
        lease = this.lease(items, heldItems(items, records, result.results));
      } else if (result.index === SELF) {
        await this.assertRegistered();
      }
    } catch (error) {
      if (!isUnanswered(error) || error.fate === 'not-applied') throw error;
      lease = await this.afterLostReply(items);
      // A server that keeps failing is asked again after a pause; a broken connection may be back already.
      if (lease === undefined && error instanceof ServerError) throw error;
    } finally {
      if (lease === undefined) own.runs.leave(begun);
    }
    return lease;
  }

  private async assertRegistered(): Promise<void> {
    const { tree } = this;
    const { jobInstanceId } = tree.self;
    await tree.sync({ signal: tree.signal });
    if (!tree.hasInstance(jobInstanceId)) throw new RemovedFromJobError(tree.jobName, jobInstanceId);
  }

  // After a lost reply, the run id in the records tells if the begin is ours, and the mark tells if it still holds.
  private async afterLostReply(items: readonly BeginningItem[]): Promise<ExecutionLease | undefined> {
    const { record, tree } = this;
    const { paths } = tree;
    const touched = items.flatMap(({ item }) => [paths.record(item), paths.mark(item, 'running')]);
    await repeat(untilDone(tree), () => readNow(tree, touched));
    const held = new Map<number, HeldItem>();
    for (const { item, record: begun } of items) {
      const node = tree.node(paths.record(item));
      const stored = tree.record(item)?.stored;
      if (node === undefined || stored?.kind !== 'record' || stored.record.run !== record.run) return undefined;
      if (tree.node(paths.mark(item, 'running'))?.data !== record.by) return undefined;
      held.set(item, { record: begun, version: node.stat.version, token: node.stat.mzxid });
    }
    return this.lease(items, held);
  }

  private lease(items: readonly BeginningItem[], held: ReadonlyMap<number, HeldItem>): ExecutionLease {
    const { record, trace, tree } = this;
    trace?.begun({ jobName: tree.jobName, run: record.run, items: [...held.keys()], repeated: repeatedRuns(items) });
    return new HeldLease(tree, this.clock, this.own, this.terms, held, trace);
  }

  /** Separates the items that can be begun from the others. @param records those of the items */
  private judge(items: readonly number[], records: readonly (ItemRecord | undefined)[], here: RunningHere) {
    const begun: BeginningItem[] = [];
    const refused = new Map<number, RefusalCause>();
    for (let n = 0; n < items.length; n += 1) {
      const [item, record] = [items[n]!, records[n]];
      const decision = here.has(item) ? 'busy' : this.decide(item, record);
      if (decision === 'begin') begun.push(this.beginning(item, record));
      else refused.set(item, decision);
    }
    return { begun, refused };
  }

  private decide(item: number, record: ItemRecord | undefined): BeginDecision {
    const { configuration, tree, trigger } = this;
    // The leader has not created the item yet, or has removed it. The next assignment takes that into account.
    if (record === undefined) return 'busy';
    if (wasRunByFormerOwner(tree, trigger, item)) return 'alreadyBegun';
    if (this.rerun !== undefined && !isNextOfRerun(tree, this.rerun, item, trigger)) return 'alreadyBegun';
    const { stored } = record;
    return decideBegin(trigger, {
      stored,
      isRunning: tree.isRunning(item),
      // Without failover no instance claims an entry left in the queue, unless a task can be adopted. A dead rescuer
      // leaves only this mark until the sweep, and a begin would overwrite a target that is still owed.
      isQueued:
        (failsOver(configuration) || isLeftToAdopt(stored)) &&
        (tree.isQueued(item) || tree.has(tree.paths.mark(item, 'failovering'))),
    });
  }

  private beginning(item: number, found: ItemRecord | undefined): BeginningItem {
    const { tree } = this;
    const { ahead, stored = NO_RECORD, version = 0, isMissing } = found ?? {};
    const { owesAfter, record, repeated } = this.nextAfter(stored);
    const hasMisfire = tree.has(tree.paths.mark(item, 'misfire'));
    return { item, version, isFirst: isMissing, hasMisfire, ahead, record, owesAfter, repeated };
  }

  private nextAfter(stored: StoredRecord): NextRun {
    if (this.lastNext?.after !== stored) {
      this.lastNext = { after: stored, next: nextRunAfter(stored, this.trigger, this.tasks, this.record) };
    }
    return this.lastNext.next;
  }

  private request(items: readonly BeginningItem[], guard: readonly Operation[] = []): BeginRequest {
    return beginRequest(this.tree, items, guard, this.modes);
  }

  private get terms(): LeaseTerms {
    const { configuration, tree, trigger } = this;
    const { failoverQueueLimit, maxExecutorFailovers, timeoutMs } = configuration;
    const isFailoverOn = failsOver(configuration);
    return {
      trigger,
      isFailoverOn,
      failoverQueueLimit,
      maxExecutorFailovers,
      timeoutMs,
      expected: expectedItems(tree, configuration),
    };
  }
}

// True if a Java peer may have begun the item for this fire time before the leader moved it here: Java checks the flag,
// not the owner, when its trigger comes.
function wasRunByFormerOwner(tree: JobTree, { fireTime, origin, source }: Trigger, item: number): boolean {
  if (origin !== 'schedule' || source !== 'NORMAL_TRIGGER') return false;
  const runAt = tree.lastRuns.unrecordedAt(item);
  if (runAt === undefined || runAt < fireTime) return false;
  const movedAt = tree.stat(tree.paths.mark(item, 'instance'))?.mtime ?? -Infinity;
  return movedAt >= fireTime;
}

/**
 * This instance is no longer registered under the job: an operator has shut it down, or its session is over.
 * @remarks Restart the process if an operator has shut the instance down. After a lost session it joins again by
 *   itself.
 */
export class RemovedFromJobError extends ElasticJobError {
  readonly code = 'REMOVED_FROM_JOB';

  constructor(
    readonly jobName: JobName,
    readonly instanceId: string,
  ) {
    super(`Instance "${instanceId}" is no longer registered under job "${jobName}"; it begins nothing.`);
  }
}
