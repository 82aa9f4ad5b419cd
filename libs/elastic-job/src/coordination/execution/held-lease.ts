import { AbortState, type Clock, onAbort } from '../../clock/index.js';
import {
  type BegunItem,
  CancelledError,
  type Checkpoint,
  confirmedLoss,
  decideRequeue,
  deathIn,
  fencedAfter,
  HandedOverError,
  type ItemSet,
  reasonOfStop,
  type Requeue,
  type RunNote,
  type RunRecord,
  type RunTrace,
  type SettledOutcome,
  type SettledRun,
  type ShardOutcome,
  SparseMap,
  SparseSet,
  stopCauseOf,
  stopOf,
  toldRunRecord,
  type Trigger,
  withoutTrace,
} from '../../domain/index.js';
import { lossGraceMs } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import { EndedRun, ToldRun } from './ended-run.js';
import { ItemCheckpoint } from './item-checkpoint.js';
import type { HeldItem } from './item-operations.js';
import type { OwnWork } from './settle-queue.js';
import { ItemLease } from './execution-lease.js';

/** Facts about the job that a lease needs. */
export interface LeaseTerms {
  readonly trigger: Trigger;
  /** True if failover is on: an item that was not done is queued for another instance. */
  readonly isFailoverOn: boolean;
  readonly failoverQueueLimit: number;
  readonly maxExecutorFailovers: number;
  readonly timeoutMs?: number | undefined;
  /** Items expected at the time of the begin; undefined if no job starts after this one. */
  readonly expected: ItemSet | undefined;
}

/** A lease on items that are marked as running in the registry. */
export class HeldLease extends ItemLease {
  readonly run: string | undefined;
  private readonly requeues = new SparseMap<number, Requeue>();
  private readonly checkpoints = new SparseMap<number, ItemCheckpoint>();
  /** The record of the last success: items that have succeeded at the same moment share it. */
  private lastSuccess: { readonly of: RunRecord; readonly record: RunRecord } | undefined;
  /** End of the wait for an item's executor, once somebody waits or an operator has ended it. */
  private readonly lasts = new SparseMap<number, { readonly ending: AbortState; readonly offSession: () => void }>();
  /** Items whose run was told to stop for good. */
  private readonly stops = new SparseMap<number, ToldRun>();
  /** Items whose run an operator has cancelled, be it after another signal. */
  private readonly cancelled = new SparseSet<number>();
  /** Items whose executor may still run although their handler has returned. */
  private readonly unreachable = new SparseSet<number>();

  constructor(
    tree: JobTree,
    private readonly clock: Clock,
    private readonly own: OwnWork,
    private readonly terms: LeaseTerms,
    private readonly held: ReadonlyMap<number, HeldItem>,
    trace?: RunTrace,
  ) {
    super(tree, terms.trigger, [...held.keys()], trace);
    this.run = held.values().next().value?.record.run;
  }

  override abortItem(item: number, reason: unknown): void {
    const isFirst = !this.endingOf(item).aborted;
    super.abortItem(item, reason);
    if (reason instanceof CancelledError) this.cancelled.add(item);
    if (isFirst && this.endingOf(item).aborted) this.tellStop(item);
  }

  /** Tells the registry of a stop for good, unless it knows of it or the handler returns at once. */
  private tellStop(item: number): void {
    const cause = stopCauseOf(this.endingOf(item).reason);
    const { record, version } = this.held.get(item)!;
    if (cause === undefined || stopOf(record) !== undefined) return;
    const told = new ToldRun(this.tree, item, version, toldRunRecord(record, cause));
    this.stops.set(item, told);
    this.clock.setTimer(0, () => told.leave() && this.own.settles.add(told));
  }

  token(item: number): bigint | undefined {
    return this.held.get(item)?.token;
  }

  override begun(item: number): BegunItem | undefined {
    const { record } = this.held.get(item)!;
    const { launch = 1, run, target } = record;
    const { tree } = this;
    return {
      run,
      target,
      launch,
      heldForMs: () => (this.isStanding(item) ? tree.leaseRemainingMs() : 0),
      lossGraceMs: lossGraceMs(tree.registry.session.timeoutMs),
      isLost: () => tree.signal.aborted,
      isLatest: () => this.isLatest(item, run),
      lastSignal: () => this.lastOf(item).signal,
      onAdopted: () => {
        const stop = stopOf(record);
        if (stop !== undefined) this.abortItem(item, reasonOfStop(stop, tree.jobName, item, this.terms.timeoutMs));
      },
    };
  }

  private lastOf(item: number): AbortState {
    const known = this.lasts.get(item);
    if (known !== undefined) return known.ending;
    const ending = new AbortState();
    const { signal } = this.tree;
    const offSession = onAbort(signal, () => ending.abort(signal.reason));
    if (signal.aborted) ending.abort(signal.reason);
    this.lasts.set(item, { ending, offSession });
    return ending;
  }

  private async isLatest(item: number, run: string): Promise<boolean> {
    const { tree } = this;
    const options = { signal: this.signalOf(item) };
    await tree.sync(options);
    const load = async () => (await tree.loadRecords([item], options)) || undefined;
    await repeat(untilCommitted(tree, 'reading the latest run', options.signal), load);
    const stored = tree.record(item)?.stored;
    return stored?.kind === 'record' && stored.record.run === run && stored.record.settled === undefined;
  }

  override confirmLost(item: number): void {
    if (this.unreachable.delete(item)) return this.record(item, { kind: 'failed', error: confirmedLoss() });
    super.confirmLost(item);
    this.lastOf(item).abort(confirmedLoss());
  }

  checkpoint(item: number): Checkpoint {
    const known = this.checkpoints.get(item);
    const version = () => this.toldVersion(item);
    const checkpoint = known ?? new ItemCheckpoint(this.tree, this.clock, item, version, () => this.isStanding(item));
    this.checkpoints.set(item, checkpoint);
    return checkpoint;
  }

  /** Version of the item's record once nothing of this run is on its way. */
  private async toldVersion(item: number): Promise<number> {
    const told = this.stops.get(item);
    if (told?.isLeaving === true) await told.told;
    return this.versionOf(item);
  }

  private versionOf(item: number): number {
    return this.held.get(item)!.version + (this.stops.get(item)?.writes ?? 0);
  }

  // Never moving if other jobs start after this run: it ends only when its work is done, whoever owns the item then.
  override isMoving(item: number): boolean {
    return this.terms.expected === undefined && super.isMoving(item);
  }

  override requeueOf(item: number): Requeue {
    return this.requeues.get(item) ?? 'none';
  }

  protected record(item: number, outcome: ShardOutcome): void {
    if (this.tree.signal.aborted) return this.conclude(item, { kind: 'fenced' });
    const requeue = this.decideRequeue(item, outcome);
    if (requeue === 'none') this.requeues.delete(item);
    else this.requeues.set(item, requeue);
    if (requeue === 'hold') return this.hold(item);
    const end = () => this.own.settles.add(this.endedRun(item, outcome, requeue));
    const told = this.stops.get(item);
    told?.drop();
    if (told?.isLeaving === true) void told.told.then(end);
    else end();
  }

  private endedRun(item: number, outcome: ShardOutcome, requeue: Requeue): EndedRun {
    const isFailover = this.trigger.source === 'FAILOVER';
    const isRequeued = requeue === 'queue';
    const isTold = (this.stops.get(item)?.writes ?? 0) > 0;
    const isRecordWritten = isFailover || isTold || requeue !== 'none' || !this.tree.company.endsByMark;
    return new EndedRun(
      this.tree,
      item,
      this.versionOf(item),
      this.settledRecord(item, outcome, requeue),
      { isFailover, isRequeued, isRecordWritten },
      (isRecorded) => this.conclude(item, isRecorded ? outcome : fencedAfter(outcome)),
      this.noteOf(item, outcome, requeue),
    );
  }

  protected override conclude(item: number, outcome: SettledOutcome): void {
    this.own.runs.leave([item]);
    this.lasts.get(item)?.offSession();
    super.conclude(item, outcome);
  }

  private decideRequeue(item: number, outcome: ShardOutcome): Requeue {
    const { isFailoverOn, failoverQueueLimit, maxExecutorFailovers } = this.terms;
    const { executorDeaths = 0 } = this.held.get(item)!.record;
    // From memory, so instances that queue at the same moment may together exceed the limit.
    const isQueueFull = this.tree.queue().length >= failoverQueueLimit;
    return decideRequeue(outcome, {
      source: this.trigger.source,
      isFailoverOn,
      isCancelled: this.cancelled.has(item),
      executorDeaths,
      maxExecutorFailovers,
      isQueueFull,
    });
  }

  /** Consequence of a scheduled run for jobs that start after it. An item that will run again has none yet. */
  private noteOf(item: number, outcome: ShardOutcome, requeue: Requeue): RunNote | undefined {
    const { expected, trigger } = this.terms;
    if (expected === undefined || trigger.origin !== 'schedule' || requeue === 'queue') return undefined;
    return { fireTime: trigger.fireTime, item, expected, isSucceeded: outcome.kind === 'succeeded' };
  }

  private settledRecord(item: number, outcome: ShardOutcome, requeue: Requeue): RunRecord {
    const { record } = this.held.get(item)!;
    if (outcome.kind === 'succeeded') return this.succeededRecord(record);
    const death = deathIn(outcome);
    const cause = requeue === 'overflow' ? requeue : (death?.state ?? this.abortCause(item, outcome));
    const isOwed = (requeue === 'queue' && death !== undefined) || undefined;
    const settled: SettledRun = { at: this.clock.wallNow(), outcome: outcome.kind, cause, isOwed };
    const kept = requeue === 'queue' ? record : withoutTrace(record);
    if (death === undefined || death.isInnocent) return { settled, ...kept };
    return { settled, ...kept, executorDeaths: (record.executorDeaths ?? 0) + 1 };
  }

  private abortCause(item: number, outcome: ShardOutcome): 'handed-over' | 'cancelled' | undefined {
    if (outcome.kind !== 'aborted') return undefined;
    if (outcome.reason instanceof HandedOverError) return 'handed-over';
    // Java's leader may queue the item of an instance that dies later, though it does not run.
    return this.cancelled.has(item) ? 'cancelled' : undefined;
  }

  private succeededRecord(record: RunRecord): RunRecord {
    const at = this.clock.wallNow();
    const last = this.lastSuccess;
    if (last?.of === record && last.record.settled?.at === at) return last.record;
    const settled: SettledRun = { at, outcome: 'succeeded' };
    this.lastSuccess = { of: record, record: { settled, ...withoutTrace(record) } };
    return this.lastSuccess.record;
  }

  /** Keeps the mark until the session is over, when it becomes an orphan, since the executor may still run. */
  private hold(item: number): void {
    this.unreachable.add(item);
    const onSessionOver = () => this.unreachable.delete(item) && this.conclude(item, { kind: 'fenced' });
    onAbort(this.tree.signal, onSessionOver);
  }
}
