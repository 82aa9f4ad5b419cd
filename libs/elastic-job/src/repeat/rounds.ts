import type { Clock } from '../clock/index.js';

/** Rounds of work. */
export interface RoundsOptions {
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
