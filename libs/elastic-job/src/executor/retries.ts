import type { Clock, Timer } from '../clock/index.js';
import { decideRetry, type JobConfiguration, type ShardOutcome } from '../domain/index.js';

/** An item that is about to be tried again. */
export interface RetriedItem {
  readonly item: number;
  /** The attempt that comes; the first one is 1. */
  readonly attempt: number;
  /** Why the last one has failed. */
  readonly error: unknown;
  /** How long it waits before, in milliseconds. */
  readonly delayMs: number;
}

/** The attempts at one item so far. */
interface Tries {
  attempt: number;
  /** When its time is over, on the monotonic clock. */
  readonly deadline: number;
  /** For its next attempt. */
  isWaiting: boolean;
  timers: readonly Timer[];
}

/**
 * The attempts at the items of one lease. An item that waits for its next one rests first, and then queues for a place;
 * in both its time goes on.
 */
export class Retries {
  private readonly items = new Map<number, Tries>();

  /**
   * @param onRested the item is to be started as soon as there is a place
   * @param onOver its time is over while it waits
   * @param former attempts that were made before
   */
  constructor(
    private readonly clock: Clock,
    private readonly configuration: JobConfiguration,
    private readonly onRested: (item: number) => void,
    private readonly onOver: (item: number, outcome: ShardOutcome) => void,
    private readonly former = 0,
  ) {}

  /** An attempt begins. @returns its number, from 1, and what is left of the item's time in milliseconds */
  begin(item: number): { readonly attempt: number; readonly leftMs: number } {
    const tries = this.items.get(item) ?? this.firstOf(item);
    this.stop(tries);
    tries.attempt += 1;
    return { attempt: tries.attempt, leftMs: this.leftMsOf(tries) };
  }

  /** An attempt has ended, and nobody has aborted the item. @returns the next one, unless the outcome stands */
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

  /** The item is not tried again. @returns true if it waited to be */
  giveUp(item: number): boolean {
    const tries = this.items.get(item);
    if (!tries?.isWaiting) return false;
    this.stop(tries);
    return true;
  }

  /** No item is tried again. */
  stopAll(): void {
    for (const tries of this.items.values()) this.stop(tries);
  }

  private firstOf(item: number): Tries {
    const { timeoutMs = Infinity } = this.configuration;
    const deadline = this.clock.monotonicNow() + timeoutMs;
    const tries: Tries = { attempt: this.former, deadline, isWaiting: false, timers: [] };
    this.items.set(item, tries);
    return tries;
  }

  private leftMsOf({ deadline }: Tries): number {
    return deadline - this.clock.monotonicNow();
  }

  private stop(tries: Tries): void {
    for (const timer of tries.timers) timer.cancel();
    tries.timers = [];
    tries.isWaiting = false;
  }
}
