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
  rerunIdOf,
  type RunNote,
  type RunRecord,
  type RunTrace,
  type SettledOutcome,
  type SettledRun,
  type ShardOutcome,
  stopCauseOf,
  stopOf,
  stopRequestedRecord,
  type Trigger,
  withoutTrace,
} from '../../domain/index.js';
import { lossGraceMs } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import { EndedRun, RecordedStop } from './ended-run.js';
import { ItemCheckpoint } from './item-checkpoint.js';
import type { HeldItem } from './item-operations.js';
import type { OwnWork } from './own-runs.js';
import { ItemLease, ItemState } from './execution-lease.js';

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

/** One item of a lease: its begin, and what has come of its run. */
class HeldState extends ItemState {
  requeue: Requeue = 'none';
  checkpoint: ItemCheckpoint | undefined;
  /** End of the wait for the item's executor, once somebody waits or an operator has ended it. */
  last: { readonly ending: AbortState; readonly offSession: () => void } | undefined;
  /** Set if the run was told to stop for good. */
  stop: RecordedStop | undefined;
  /** True if an operator has cancelled the run, be it after another signal. */
  isCancelled = false;
  /** True if its executor may still run although its handler has returned. */
  isUnreachable = false;

  constructor(readonly begun: HeldItem) {
    super();
  }

  /** Version of the item's record once nothing of this run is on its way. */
  get version(): number {
    return this.begun.version + (this.stop?.writes ?? 0);
  }
}

/** A lease on items that are marked as running in the registry. */
export class HeldLease extends ItemLease<HeldState> {
  readonly run: string | undefined;
  /** The record of the last success: items that have succeeded at the same moment share it. */
  private lastSuccess: { readonly of: RunRecord; readonly record: RunRecord } | undefined;

  constructor(
    tree: JobTree,
    private readonly clock: Clock,
    private readonly own: OwnWork,
    private readonly terms: LeaseTerms,
    held: ReadonlyMap<number, HeldItem>,
    trace?: RunTrace,
  ) {
    const states = new Map<number, HeldState>();
    for (const [item, begun] of held) states.set(item, new HeldState(begun));
    super(tree, terms.trigger, states, trace);
    this.run = held.values().next().value?.record.run;
  }

  override abortItem(item: number, reason: unknown): void {
    const state = this.stateOf(item);
    const isFirst = !state.aborted;
    super.abortItem(item, reason);
    if (reason instanceof CancelledError) state.isCancelled = true;
    if (isFirst && state.aborted) this.recordStop(item, state);
  }

  /** Records a stop for good, unless the record has one already or the handler returns at once. */
  private recordStop(item: number, state: HeldState): void {
    const cause = stopCauseOf(state.reason);
    const { record, version } = state.begun;
    if (cause === undefined || stopOf(record) !== undefined) return;
    const stop = new RecordedStop(this.tree, item, version, stopRequestedRecord(record, cause));
    state.stop = stop;
    this.clock.setTimer(0, () => stop.leave() && this.own.settles.add(stop));
  }

  token(item: number): bigint | undefined {
    return this.states.get(item)?.begun.token;
  }

  override begun(item: number): BegunItem | undefined {
    const { record } = this.stateOf(item).begun;
    const { begunAt, launch = 1, run, target } = record;
    const { tree } = this;
    return {
      run,
      target,
      begunAt,
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
    const state = this.stateOf(item);
    if (state.last !== undefined) return state.last.ending;
    const ending = new AbortState();
    const { signal } = this.tree;
    const offSession = onAbort(signal, () => ending.abort(signal.reason));
    if (signal.aborted) ending.abort(signal.reason);
    state.last = { ending, offSession };
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
    const state = this.stateOf(item);
    if (state.isUnreachable) {
      state.isUnreachable = false;
      return this.record(item, { kind: 'failed', error: confirmedLoss() });
    }
    super.confirmLost(item);
    this.lastOf(item).abort(confirmedLoss());
  }

  checkpoint(item: number): Checkpoint {
    const state = this.stateOf(item);
    const version = () => this.stoppedVersion(state);
    const isKept = rerunIdOf(this.trigger.origin) === undefined;
    state.checkpoint ??= new ItemCheckpoint(this.tree, this.clock, item, version, () => this.isStanding(item), isKept);
    return state.checkpoint;
  }

  private async stoppedVersion(state: HeldState): Promise<number> {
    if (state.stop?.isLeaving === true) await state.stop.known;
    return state.version;
  }

  // Never moving if other jobs start after this run: it ends only when its work is done, whoever owns the item then.
  override isMoving(item: number): boolean {
    return this.terms.expected === undefined && super.isMoving(item);
  }

  override requeueOf(item: number): Requeue {
    return this.stateOf(item).requeue;
  }

  protected record(item: number, outcome: ShardOutcome): void {
    if (this.tree.signal.aborted) return this.conclude(item, { kind: 'fenced' });
    const state = this.stateOf(item);
    state.requeue = this.decideRequeue(state, outcome);
    if (state.requeue === 'hold') return this.hold(item, state);
    const end = () => this.own.settles.add(this.endedRun(item, state, outcome));
    const { stop } = state;
    stop?.drop();
    if (stop?.isLeaving === true) void stop.known.then(end);
    else end();
  }

  private endedRun(item: number, state: HeldState, outcome: ShardOutcome): EndedRun {
    const { requeue } = state;
    const isFailover = this.trigger.source === 'FAILOVER';
    const isRequeued = requeue === 'queue';
    const isStopRecorded = state.version > state.begun.version;
    const isRecordWritten = isFailover || isStopRecorded || requeue !== 'none' || !this.tree.company.endsByMark;
    return new EndedRun(
      this.tree,
      item,
      state.version,
      this.settledRecord(state, outcome),
      { isFailover, isRequeued, isRecordWritten },
      (isRecorded) => this.conclude(item, isRecorded ? outcome : fencedAfter(outcome)),
      this.noteOf(item, outcome, requeue),
    );
  }

  protected override conclude(item: number, outcome: SettledOutcome): void {
    this.own.runs.leave([item]);
    this.stateOf(item).last?.offSession();
    super.conclude(item, outcome);
  }

  private decideRequeue({ begun, isCancelled }: HeldState, outcome: ShardOutcome): Requeue {
    const { isFailoverOn, failoverQueueLimit, maxExecutorFailovers } = this.terms;
    const { executorDeaths = 0 } = begun.record;
    // From memory, so instances that queue at the same moment may together exceed the limit.
    const isQueueFull = this.tree.queue().length >= failoverQueueLimit;
    return decideRequeue(outcome, {
      source: this.trigger.source,
      isFailoverOn,
      isCancelled,
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

  private settledRecord({ begun, isCancelled, requeue }: HeldState, outcome: ShardOutcome): RunRecord {
    const { record } = begun;
    if (outcome.kind === 'succeeded') return this.succeededRecord(record);
    const death = deathIn(outcome);
    const cause = requeue === 'overflow' ? requeue : (death?.state ?? abortCause(outcome, isCancelled));
    const isOwed = (requeue === 'queue' && death !== undefined) || undefined;
    const settled: SettledRun = { at: this.clock.wallNow(), outcome: outcome.kind, cause, isOwed };
    const kept = requeue === 'queue' ? record : withoutTrace(record);
    if (death === undefined || death.isInnocent) return { settled, ...kept };
    return { settled, ...kept, executorDeaths: (record.executorDeaths ?? 0) + 1 };
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
  private hold(item: number, state: HeldState): void {
    state.isUnreachable = true;
    onAbort(this.tree.signal, () => {
      if (!state.isUnreachable) return;
      state.isUnreachable = false;
      this.conclude(item, { kind: 'fenced' });
    });
  }
}

function abortCause(outcome: ShardOutcome, isCancelled: boolean): 'handed-over' | 'cancelled' | undefined {
  if (outcome.kind !== 'aborted') return undefined;
  if (outcome.reason instanceof HandedOverError) return 'handed-over';
  // Java's leader may queue the item of an instance that dies later, though it does not run.
  return isCancelled ? 'cancelled' : undefined;
}
