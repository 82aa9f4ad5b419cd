import type { Clock } from '../clock/index.js';

/** Meaning of a failed attempt for the next one. Of one repetition alone, as it keeps the pauses. */
export interface RepeatPolicy {
  /** Ends the repetition: once it aborts, no further attempt begins, and a pause ends. */
  readonly signal: AbortSignal | undefined;
  /** Pauses after failed attempts. @default none */
  readonly backOff?: BackOff;
  /** Attempts after which the last failure is thrown. @default any number */
  readonly mostAttempts?: number;
  /** Selects the errors that another attempt may overcome. @default all */
  readonly isRepeated?: (error: unknown) => boolean;
  /** Receives each failure that another attempt follows. @param attempt its number, from 1 on */
  readonly onFailure?: (error: unknown, attempt: number) => void;
  /**
   * Waits until another attempt makes sense. @default the pause of `backOff`
   * @returns false if it never will: the last failure is thrown @throws the signal's reason
   */
  readonly wait?: () => Promise<boolean>;
  /** Prepares each attempt but the first, and counts as a part of it. */
  readonly prepare?: () => Promise<unknown>;
  /** Called once it is over, however it ends. */
  readonly onEnd?: () => void;
}

/** A policy for attempts that read, decide and write. An attempt that returns undefined has lost a race to others. */
export interface RacePolicy extends RepeatPolicy {
  /** Creates the failure that a lost race is. */
  readonly lostRace: () => Error;
}

/** @param attempt its number, from 1 on */
type Work<T> = (attempt: number) => Promise<T>;

/**
 * Repeats work until it succeeds. This is the one loop that repeats what has failed.
 * @param work must read before it writes, so that it finds its own write done if only the reply was lost
 * @throws a failure that the policy does not repeat, or the signal's reason
 */
export function repeat<T>(policy: RacePolicy, work: Work<T | undefined>): Promise<T>;
export function repeat<T>(policy: RepeatPolicy, work: Work<T>): Promise<T>;
export async function repeat<T>(
  policy: RepeatPolicy & Partial<RacePolicy>,
  work: Work<T | undefined>,
): Promise<T | undefined> {
  const { isRepeated, lostRace, mostAttempts, onFailure, prepare, signal } = policy;
  try {
    for (let attempt = 1; ; attempt += 1) {
      let failure: unknown;
      try {
        if (attempt > 1) await prepare?.();
        const result = await work(attempt);
        if (result !== undefined || lostRace === undefined) return result;
        failure = lostRace();
      } catch (error) {
        if (isRepeated?.(error) === false) throw error;
        failure = error;
      }
      if (attempt === mostAttempts) throw failure;
      signal?.throwIfAborted();
      onFailure?.(failure, attempt);
      if (!(await (policy.wait?.() ?? pause(policy)))) throw failure;
      signal?.throwIfAborted();
    }
  } finally {
    policy.onEnd?.();
  }
}

async function pause({ backOff, signal }: RepeatPolicy): Promise<true> {
  backOff?.failed();
  await backOff?.pause(signal);
  return true;
}

/** Growth of the pauses. */
export interface BackOffOptions {
  /** Milliseconds. */
  readonly firstMs: number;
  /** Milliseconds. */
  readonly longestMs: number;
  /** Failures in a row that no pause follows. @default 0 */
  readonly withoutPause?: number;
}

/** Pauses before the next attempt after failures: doubled each time, and randomized. */
export class BackOff {
  /** Number of failed attempts since the last success. */
  failures = 0;

  constructor(
    private readonly clock: Clock,
    private readonly options: BackOffOptions,
  ) {}

  failed(): void {
    this.failures += 1;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /**
   * The next pause in milliseconds: between half of its bound and the bound, so that clients spread. 0 after a success.
   */
  nextMs(longestMs = this.options.longestMs): number {
    const { firstMs, withoutPause = 0 } = this.options;
    const doublings = this.failures - withoutPause - 1;
    if (doublings < 0) return 0;
    const bound = Math.min(longestMs, firstMs * 2 ** Math.min(doublings, 20));
    return bound * (0.5 + this.clock.random() / 2);
  }

  /** Waits for the next pause, or until the signal aborts. Never rejects. */
  async pause(signal: AbortSignal | undefined): Promise<void> {
    const ms = this.nextMs();
    if (ms > 0) await this.clock.sleep(ms, signal).catch(() => {}); // Ended early.
  }
}

/** Rounds of work. */
interface RoundsOptions {
  readonly clock: Clock;
  /** Ends the rounds; a pause ends at once, and a round that is under way ends by itself. */
  readonly signal: AbortSignal;
  /** Milliseconds from the end of one round to the next one at most, and before the first. */
  readonly longestMs: number;
  /** Part of each pause that is left to chance, so that processes that started together do not ask together. */
  readonly spread: number;
  /** Receives the error of a round; the next one comes all the same. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/** Does the work again and again, one round after the other. Resolves once the signal has aborted; never rejects. */
export async function keepRounds(
  work: () => Promise<unknown>,
  { clock, longestMs, onError, signal, spread }: RoundsOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await clock.sleep(longestMs * (1 - spread * clock.random()), signal);
      await work();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }
}
