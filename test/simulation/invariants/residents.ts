import { type CalmJob, enabledItems, occupancy } from '../calm.js';
import type { History, Interval } from '../history.js';
import type { Run } from '../runs.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/** Each item of a resident job runs at all times, except for the pauses after runs that ended by themselves. */
export function residentGaps(history: History): Violation[] {
  return history.calmJobs
    .filter(({ configuration }) => configuration.resident)
    .flatMap((job) =>
      enabledItems(job).flatMap((item) =>
        gaps(history, job, item)
          .filter(({ from, to }) => to - from > longestPauseMs(history, job, item, from) + 2 * history.promptMs)
          .map(({ from, to }) => ({
            at: to,
            message: `${itemKey(job.jobName, item)} is resident, and did not run since ${timeOf(from)}`,
            about: `/${job.jobName}/sharding/${item}`,
          })),
      ),
    );
}

/** Times without a mark of an item in a calm time. */
function gaps(history: History, { jobName, from, to }: CalmJob, item: number): Interval[] {
  let free = from;
  const found: Interval[] = [];
  for (const busy of occupancy(history, jobName, item)) {
    if (busy.from > free && free < to) found.push({ from: free, to: Math.min(busy.from, to) });
    free = Math.max(free, busy.to);
  }
  return free < to ? [...found, { from: free, to }] : found;
}

/**
 * Longest pause before a new run, in milliseconds. It doubles with each run in a row that ended by itself on an
 * instance, which remembers the number while the item is elsewhere. A clock may drift.
 */
function longestPauseMs(history: History, { jobName }: CalmJob, item: number, since: number): number {
  const inARow = new Map<number, number>();
  for (const run of history.runs) {
    if (run.jobName !== jobName || run.item !== item || run.at > since) continue;
    inARow.set(run.instance, endsAfresh(run) ? 0 : (inARow.get(run.instance) ?? 0) + 1);
  }
  const most = Math.max(0, ...inARow.values());
  return most === 0 ? 0 : 1.05 * Math.min(30_000, 100 * 2 ** (most - 1));
}

/** True if it was told to end there. A cancelled run is begun again like one that has ended by itself. */
function endsAfresh({ abortedBy }: Run): boolean {
  return abortedBy !== undefined && abortedBy !== 'CancelledError';
}
