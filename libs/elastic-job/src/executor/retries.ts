import type { Clock, Timer } from '../clock/index.js';
import { decideRetry, type JobConfiguration, type ShardOutcome, SparseMap } from '../domain/index.js';

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
  /** End of its time, on the monotonic clock. */
  readonly deadline: number;
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
  private readonly items = new SparseMap<number, Tries>();

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
    return { attempt: tries.attempt, leftMs: this.leftMsOf(tries) };
  }

  /** Call after an attempt, unless the item was aborted. @returns the next attempt, unless the outcome stands */
  after(item: number, outcome: ShardOutcome): RetriedItem | undefined {
    const tries = this.items.get(item)!;
    const { attempt } = tries;
    const leftMs = this.leftMsOf(tries);
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
    const { timeoutMs = Infinity } = this.configuration;
    const deadline = timeoutMs === Infinity ? Infinity : this.clock.monotonicNow() + timeoutMs;
    const tries: Tries = { attempt: this.former, deadline, isWaiting: false, timers: NO_TIMERS };
    this.items.set(item, tries);
    return tries;
  }

  private leftMsOf({ deadline }: Tries): number {
    return deadline === Infinity ? Infinity : deadline - this.clock.monotonicNow();
  }

  private stop(tries: Tries): void {
    for (const timer of tries.timers) timer.cancel();
    tries.timers = NO_TIMERS;
    tries.isWaiting = false;
  }
}
