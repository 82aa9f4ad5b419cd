import { type Abortable, type Clock, Deadline, type Timer } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import {
  decideRetry,
  ExecutorDeathError,
  type JobConfiguration,
  JobTimeoutError,
  type ShardOutcome,
} from '../domain/index.js';

/** Values that all attempts of one lease share. */
export interface ItemRunTerms {
  readonly clock: Clock;
  readonly lease: ExecutionLease;
  /** Undefined: no limit. In milliseconds. */
  readonly timeoutMs: number | undefined;
  /** How long a handler may go on after its signal, in milliseconds. */
  readonly hungGraceMs: number;
  /** Called at most once, if the handler has not returned within the grace after its signal. */
  readonly onHung: (run: ItemRun) => void;
}

/** One attempt at an item, while its handler runs: its time limit, and its delay in reacting to its signal. */
export class ItemRun {
  private readonly ending: Abortable;
  private readonly offAborted: () => void;
  private timer: Timer | undefined;
  private sinceMs: number | undefined;

  /**
   * Starts the time limit.
   * @param leftMs time left for this attempt, in milliseconds: earlier attempts have used their part
   */
  constructor(
    private readonly terms: ItemRunTerms,
    readonly item: number,
    leftMs: number,
  ) {
    const { clock, lease, timeoutMs } = terms;
    this.ending = lease.endingOf(item);
    this.offAborted = this.ending.onAbort(() => this.aborted());
    if (timeoutMs === undefined) return;
    this.timer = clock.setTimer(leftMs, () =>
      lease.abortItem(item, new JobTimeoutError(lease.jobName, item, timeoutMs)),
    );
  }

  /** When its signal aborted, in milliseconds since the epoch; undefined while it has not. */
  get abortedAt(): number | undefined {
    return this.sinceMs;
  }

  /**
   * Ends the attempt.
   * @param result the outcome by the handler alone
   * @returns the outcome, which may be an earlier abort
   */
  end(result: ShardOutcome): ShardOutcome {
    this.forget();
    return this.interruption() ?? result;
  }

  /** Stops all notices about the handler. */
  forget(): void {
    this.timer?.cancel();
    this.offAborted();
  }

  private aborted(): void {
    const { clock, hungGraceMs, onHung } = this.terms;
    this.timer?.cancel();
    this.sinceMs = clock.wallNow();
    this.timer = clock.setTimer(hungGraceMs, () => onHung(this));
  }

  /**
   * The outcome if the signal has aborted first: a handler that was told to stop may return half-done work as its
   * result.
   */
  private interruption(): ShardOutcome | undefined {
    const { aborted, reason } = this.ending;
    return aborted ? outcomeOfAbort(reason) : undefined;
  }
}

/** The outcome of an item whose signal has aborted. */
export function outcomeOfAbort(reason: unknown): ShardOutcome {
  const isFailure = reason instanceof JobTimeoutError || reason instanceof ExecutorDeathError;
  return isFailure ? { kind: 'failed', error: reason } : { kind: 'aborted', reason };
}

/** An item before its next attempt. */
export interface RetriedItem {
  readonly item: number;
  /** Number of the next attempt; the first one is 1. */
  readonly attempt: number;
  /** Error of the last attempt. */
  readonly error: unknown;
  /** Pause before the next attempt, in milliseconds. */
  readonly delayMs: number;
}

/** Attempts at one item so far. */
interface Tries {
  attempt: number;
  /** End of its time; undefined without one. */
  readonly deadline: Deadline | undefined;
  /** True while it waits for its next attempt. */
  isWaiting: boolean;
  timers: readonly Timer[];
}

const NO_TIMERS: readonly Timer[] = [];

/**
 * Attempts at the items of one lease. An item rests before its next attempt, and then queues for a place; its time
 * limit goes on in both.
 */
export class Retries {
  private readonly items = new Map<number, Tries>();

  /**
   * @param onRested called when the item is to start as soon as there is a place
   * @param onOver called when its time ends while it waits
   * @param former earlier attempts
   */
  constructor(
    private readonly clock: Clock,
    private readonly configuration: JobConfiguration,
    private readonly onRested: (item: number) => void,
    private readonly onOver: (item: number, outcome: ShardOutcome) => void,
    private readonly former = 0,
  ) {}

  /** Begins an attempt. @returns its number, from 1, and the item's remaining time in milliseconds */
  begin(item: number): { readonly attempt: number; readonly leftMs: number } {
    const tries = this.items.get(item) ?? this.firstOf(item);
    this.stop(tries);
    tries.attempt += 1;
    return { attempt: tries.attempt, leftMs: leftMsOf(tries) };
  }

  /** Call after an attempt, unless the item was aborted. @returns the next attempt, unless the outcome stands */
  after(item: number, outcome: ShardOutcome): RetriedItem | undefined {
    const tries = this.items.get(item)!;
    const { attempt } = tries;
    const leftMs = leftMsOf(tries);
    const state = { configuration: this.configuration, attempt, leftMs, random: () => this.clock.random() };
    const delayMs = decideRetry(outcome, state);
    if (delayMs === undefined || outcome.kind !== 'failed') return undefined;
    tries.isWaiting = true;
    const rest = this.clock.setTimer(delayMs, () => this.onRested(item));
    const limit = leftMs === Infinity ? [] : [this.clock.setTimer(leftMs, () => this.onOver(item, outcome))];
    tries.timers = [rest, ...limit];
    return { item, attempt: attempt + 1, error: outcome.error, delayMs };
  }

  /** Cancels further attempts at the item. @returns true if one was waiting */
  giveUp(item: number): boolean {
    const tries = this.items.get(item);
    if (!tries?.isWaiting) return false;
    this.stop(tries);
    return true;
  }

  private firstOf(item: number): Tries {
    const { timeoutMs } = this.configuration;
    const deadline = timeoutMs === undefined ? undefined : Deadline.after(this.clock, timeoutMs);
    const tries: Tries = { attempt: this.former, deadline, isWaiting: false, timers: NO_TIMERS };
    this.items.set(item, tries);
    return tries;
  }

  private stop(tries: Tries): void {
    for (const timer of tries.timers) timer.cancel();
    tries.timers = NO_TIMERS;
    tries.isWaiting = false;
  }
}

function leftMsOf({ deadline }: Tries): number {
  return deadline?.leftMs ?? Infinity;
}
