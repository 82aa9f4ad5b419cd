import { type Effect, type History, itemsOf, type Run, runsOf, type Violation } from './history.js';

/** Difference of the clocks of two processes of one host. */
const CLOCK_MS = 5;

/**
 * The store never takes an effect of a run after one of a newer run of the item (invariant 2). Runs are ordered by
 * their tokens, or by their begins if they have no tokens.
 */
export function staleEffects({ effects }: History): readonly Violation[] {
  const found: Violation[] = [];
  const newest = new Map<string, Effect>();
  for (const effect of effects.toSorted((a, b) => a.position - b.position)) {
    const key = `${effect.job} ${effect.item}`;
    const last = newest.get(key);
    if (last === undefined || !isOlder(effect, last)) newest.set(key, effect);
    else found.push(stale(effect, last));
  }
  return found;
}

function isOlder(effect: Effect, other: Effect): boolean {
  if (effect.token !== undefined && other.token !== undefined) return effect.token < other.token;
  return effect.begunAt < other.begunAt;
}

function stale({ job, item, at, worker, token }: Effect, last: Effect): Violation {
  const text = `${worker} (token ${token}) wrote after ${last.worker} (token ${last.token})`;
  return { rule: 'stale effect', job, item, at, text };
}

/**
 * Two runs of an item overlap only if the older one is fenced and its process stood still, so it could not know
 * (invariants 1 and 17). A process that was running has been told to stop before the newer run begins.
 */
export function overlaps(history: History): readonly Violation[] {
  return history.jobs.flatMap((job) =>
    itemsOf(job).flatMap((item) => {
      const runs = runsOf(history.runs, job.name, item);
      return runs.flatMap((run, index) => {
        const later = runs.slice(index + 1).filter((next) => next.begunAt + CLOCK_MS < endOf(run, history));
        return later.filter((next) => !mayOverlap(run, next, history)).map((next) => doubled(run, next));
      });
    }),
  );
}

/** Time at which the run ended, or knew that it had to. */
function endOf({ endedAt = Infinity, abortedAt = Infinity, worker }: Run, { faults }: History): number {
  const killed = faults.find(({ victim, isFatal }) => isFatal && victim === worker)?.from ?? Infinity;
  return Math.min(endedAt, abortedAt, killed);
}

function mayOverlap(run: Run, next: Run, { faults, stalls }: History): boolean {
  const isOrdered = run.token === undefined || next.token === undefined || run.token < next.token;
  const pauses = faults.filter(({ victim, isPause }) => isPause && victim === run.worker);
  const stoodStill = [...pauses, ...stalls].some(
    ({ from, to }) => from <= next.begunAt && next.begunAt <= to + CLOCK_MS,
  );
  return isOrdered && stoodStill;
}

function doubled(run: Run, next: Run): Violation {
  const text = `${next.worker} began (token ${next.token}) while ${run.worker} (token ${run.token}) was at it and ran`;
  return { rule: 'overlap', job: run.job, item: run.item, at: next.begunAt, text };
}
