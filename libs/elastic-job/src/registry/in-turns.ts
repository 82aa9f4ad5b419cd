// Covered by shared-sync.spec.ts and calm.spec.ts
import type { Clock } from '../clock/index.js';

/** Callers resumed in one turn. Between two turns the process serves its registry connection and its timers. */
const AT_ONCE = 80;

/** Resumes callers in their order, some in each turn of the event loop, the first ones at once. */
export async function resumeInTurns<T>(
  clock: Pick<Clock, 'nextTurn'>,
  callers: readonly T[],
  resume: (caller: T) => void,
): Promise<void> {
  for (let next = 0; next < callers.length; next += AT_ONCE) {
    if (next > 0) await clock.nextTurn();
    for (const caller of callers.slice(next, next + AT_ONCE)) resume(caller);
  }
}
