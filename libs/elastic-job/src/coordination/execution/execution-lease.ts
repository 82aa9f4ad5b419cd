import { type Abortable, AbortState, onAbort } from '../../clock/index.js';
import {
  type BegunItem,
  type Checkpoint,
  confirmedLoss,
  formatTaskId,
  type JobName,
  LeaseLostError,
  MissingTokenError,
  type Requeue,
  type RunTrace,
  type SettledOutcome,
  type ShardOutcome,
  type Trigger,
} from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';

/**
 * The right to run some items of a job for one trigger. Only the instance that begins holds the lease, and only the
 * lease settles. There is one way to get a lease (`Executions.begin`, also used by a failover claim) and one way to
 * finish it.
 */
export interface ExecutionLease {
  readonly jobName: JobName;
  readonly trigger: Trigger;
  /** The instance id of the holder. */
  readonly holder: string;
  /** Id of the begin, as in the records of the items; undefined without `monitorExecution`. */
  readonly run: string | undefined;
  /** Task id of all runs under this lease. @see formatTaskId */
  readonly taskId: string;
  /** Trace of the run; undefined if it is not traced. */
  readonly trace?: RunTrace;
  /** Ascending. */
  readonly items: readonly number[];
  /** Aborts when this instance may no longer act for any of the items. The reason tells why. */
  readonly signal: AbortSignal;
  /** The fencing token of an item; undefined without `monitorExecution`. */
  token(item: number): bigint | undefined;
  /** Data that the item's begin has written; undefined without `monitorExecution`. */
  begun(item: number): BegunItem | undefined;
  /** Aborts with `signal`, or alone if the item's time is over or an operator cancels it. The first reason stands. */
  signalOf(item: number): AbortSignal;
  /** Same as `signalOf`, without creating a signal. */
  endingOf(item: number): Abortable;
  /** False while the registry does not answer. Items that have not started must wait. */
  readonly mayStart: boolean;
  /** Calls back when the registry answers again. @returns a function that removes the listener */
  onMayStart(listener: () => void): () => void;
  /**
   * @throws {LeaseLostError} if the item may no longer be acted for; the cause is the signal's reason, if it has
   * aborted
   */
  assertHeld(item: number): void;
  /** The item's checkpoint for this run. */
  checkpoint(item: number): Checkpoint;
  /**
   * True once another instance owns the item, or a Java peer waits for the end of the run. @see
   * ShardingContext.isMoving
   */
  isMoving(item: number): boolean;
  /** Aborts all signals. Items that return later are settled as aborted, unless the session is lost. */
  abort(reason: unknown): void;
  /** Aborts the signal of one item; the others go on. */
  abortItem(item: number, reason: unknown): void;
  /** Records that an operator has confirmed the end of an item's executor, which might still have been running. */
  confirmLost(item: number): void;
  /** Reports the end of an item, which joins the next settle transaction. Call once for each item. */
  settle(item: number, outcome: ShardOutcome): void;
  /** Further treatment of an item that was settled without being done. Final once that settle is recorded. */
  requeueOf(item: number): Requeue;
  /** Calls back with the final outcome of each item, once. There is one listener; a later one replaces it. */
  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void;
  /** Resolves with the outcome of each item when all are settled. Never rejects: a failed settle is an outcome. */
  settled(): Promise<ReadonlyMap<number, SettledOutcome>>;
}

/** Base of all leases: it lives as long as its session and collects the outcome of each of its items. */
export abstract class ItemLease<State extends ItemState = ItemState> implements ExecutionLease {
  private readonly ending = new AbortState();
  readonly items: readonly number[];
  /** Number of items without a final outcome. */
  private open: number;
  private readonly waiting: (() => void)[] = [];
  private listener: (item: number, outcome: SettledOutcome) => void = () => {};
  private offSession = (): void => {};
  private knownTaskId: string | undefined;

  constructor(
    protected readonly tree: JobTree,
    readonly trigger: Trigger,
    /** By item, ascending. */
    protected readonly states: ReadonlyMap<number, State>,
    readonly trace?: RunTrace,
  ) {
    this.items = [...states.keys()];
    this.open = states.size;
    if (tree.signal.aborted) this.abort(tree.signal.reason);
    else this.offSession = onAbort(tree.signal, () => this.abort(tree.signal.reason));
  }

  abstract readonly run: string | undefined;
  abstract token(item: number): bigint | undefined;
  abstract checkpoint(item: number): Checkpoint;
  /** Writes the end to the registry, where the job needs that, and concludes. */
  protected abstract record(item: number, outcome: ShardOutcome): void;

  begun(_item: number): BegunItem | undefined {
    return undefined;
  }

  requeueOf(_item: number): Requeue {
    return 'none';
  }

  confirmLost(item: number): void {
    this.abortItem(item, confirmedLoss());
  }

  get jobName(): JobName {
    return this.tree.jobName;
  }

  get holder(): string {
    return this.tree.self.jobInstanceId;
  }

  get taskId(): string {
    this.knownTaskId ??= formatTaskId(this.jobName, this.items, this.holder);
    return this.knownTaskId;
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  signalOf(item: number): AbortSignal {
    return this.stateOf(item).signal;
  }

  endingOf(item: number): Abortable {
    return this.stateOf(item);
  }

  get mayStart(): boolean {
    return this.tree.registry.session.state !== 'SUSPENDED' && this.tree.leaseRemainingMs() > 0;
  }

  onMayStart(listener: () => void): () => void {
    return this.tree.registry.onSession(({ state }) => {
      if (state === 'RECONNECTED') listener();
    });
  }

  assertHeld(item: number): void {
    const state = this.states.get(item);
    const aborted = this.ending.aborted ? this.ending : state;
    if (aborted?.aborted === true) throw new LeaseLostError(this.jobName, item, { cause: aborted.reason });
    if (!this.isStanding(item)) throw new LeaseLostError(this.jobName, item);
  }

  // A rescued item was never this instance's, and its owner waits for the end of the run in any case.
  isMoving(item: number): boolean {
    const { tree } = this;
    if (tree.company.plansWhenIdle && tree.isReshardingPending()) return true;
    return this.trigger.source !== 'FAILOVER' && tree.owner(item) !== this.holder;
  }

  abort(reason: unknown): void {
    this.ending.abort(reason);
    for (const item of this.items) this.abortItem(item, this.ending.reason);
  }

  abortItem(item: number, reason: unknown): void {
    const state = this.states.get(item);
    if (state?.isLive === true) state.abort(reason);
  }

  settle(item: number, outcome: ShardOutcome): void {
    const state = this.states.get(item);
    if (state?.isLive !== true) return;
    state.isLive = false;
    this.record(item, outcome);
  }

  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void {
    this.listener = listener;
  }

  async settled(): Promise<ReadonlyMap<number, SettledOutcome>> {
    if (this.open > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return new Map(this.items.map((item) => [item, this.stateOf(item).outcome!]));
  }

  /** True if the run and its session still last, even after the signals have aborted. */
  protected isStanding(item: number): boolean {
    const { tree } = this;
    return !tree.signal.aborted && tree.leaseRemainingMs() > 0 && this.states.get(item)?.isLive === true;
  }

  /** Records the final outcome of an item. */
  protected conclude(item: number, outcome: SettledOutcome): void {
    const state = this.stateOf(item);
    if (state.outcome === undefined) this.open -= 1;
    state.outcome = outcome;
    this.listener(item, outcome);
    if (this.open > 0) return;
    this.offSession();
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  protected stateOf(item: number): State {
    const state = this.states.get(item);
    if (state === undefined) throw new RangeError(`The lease has no item ${item}.`);
    return state;
  }
}

/** The signal of one item, and its end. */
export class ItemState extends AbortState {
  /** Undefined until it is final. */
  outcome: SettledOutcome | undefined;
  /** False once its end was reported. The signal then stays as it is. */
  isLive = true;
}

/** Lease of a job without `monitorExecution`: no mark, no record, no token, and no request to the registry. */
export class UnmonitoredLease extends ItemLease {
  readonly run = undefined;

  constructor(tree: JobTree, trigger: Trigger, items: readonly number[], trace?: RunTrace) {
    super(tree, trigger, new Map(items.map((item) => [item, new ItemState()])), trace);
  }

  token(): undefined {
    return undefined;
  }

  checkpoint(item: number): Checkpoint {
    const refuse = () => Promise.reject(new MissingTokenError(this.jobName, item));
    return { save: refuse, load: refuse, clear: refuse };
  }

  protected record(item: number, outcome: ShardOutcome): void {
    this.conclude(item, outcome);
  }
}
