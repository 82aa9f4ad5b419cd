import type { Clock } from '../clock/index.js';

/** Callers, and milliseconds, of one turn. Between two turns the process serves its connections and its timers. */
const AT_ONCE = 160;
const LONGEST_TURN_MS = 12;

/**
 * Resumes callers in their order, some in each turn of the event loop, the first ones at once. Each goes on until it
 * waits for an event before the next one resumes, so that the requests of the first leave while the last still wait.
 */
export async function resumeInTurns<T>(
  clock: Pick<Clock, 'monotonicNow' | 'nextTurn'>,
  callers: readonly T[],
  resume: (caller: T) => void,
): Promise<void> {
  let left = AT_ONCE;
  let end = clock.monotonicNow() + LONGEST_TURN_MS;
  for (const caller of callers) {
    if (left === 0 || clock.monotonicNow() > end) {
      await clock.nextTurn();
      left = AT_ONCE;
      end = clock.monotonicNow() + LONGEST_TURN_MS;
    }
    left -= 1;
    resume(caller);
    await promisesAtRest();
  }
}

/** Resolves when no promise has a continuation left to run in this turn. */
function promisesAtRest(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
