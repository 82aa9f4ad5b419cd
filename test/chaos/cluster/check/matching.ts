import { failoverBoundMs } from './excuses.js';
import { type History, itemsOf, type Run, runsOf, targetsOf } from './history.js';

/**
 * Gives a target to each run that was not told its own: the latest target that was due at its begin, that no other run
 * has, and that is not older than a rescue takes. A run without a match is surplus, or a rescue.
 * @see Jepsen, Chronos: the matching of targets to runs
 */
export function matchTargets(history: History): History {
  if (history.runs.every(({ fireTime }) => fireTime !== undefined)) return history;
  const longestMs = 2 * failoverBoundMs(history);
  const runs = history.jobs.flatMap((job) => {
    const targets = targetsOf(job, { from: history.from - longestMs, to: history.to });
    return itemsOf(job).flatMap((item) => {
      const free = new Set(targets);
      return runsOf(history.runs, job.name, item).map((run): Run => {
        const due = targets.findLast((target) => target <= run.begunAt && free.has(target));
        if (due === undefined || due < run.begunAt - longestMs) return run;
        free.delete(due);
        return { ...run, fireTime: due };
      });
    });
  });
  return { ...history, runs };
}
