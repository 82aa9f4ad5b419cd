import { type Excuses, failoverBoundMs } from './excuses.js';
import {
  type History,
  isEarly,
  itemsOf,
  type JobPlan,
  type Run,
  runsOf,
  type Span,
  targetsOf,
  type Violation,
} from './history.js';
import { uncovered } from './spans.js';

export interface Coverage {
  readonly targets: number;
  /** Targets with a run of their own. */
  readonly own: number;
  /** Targets that a later run stands for: the item was held, or no instance could begin it. */
  readonly superseded: number;
  /** Targets without any excuse: the item was free, and its owner, the leader and the ensemble were well. */
  readonly inexcusable: number;
  /** Targets with a run of their own that had no excuse for more than the slack. */
  readonly late: number;
  readonly lost: readonly Violation[];
  /** The longest wait of a target without an excuse. */
  readonly latestMs: number;
}

/**
 * No target is lost (invariant 3). Each target that is due gets a run, either its own or one for a later target as the
 * misfire rule `once` says. It begins within the slack after the last excuse for the item ends, and a run of its own
 * within the failover bound. The slack is the shortest period, so a target that is left out is always found. What came
 * before an edit is owed by nobody.
 */
export function coverage(history: History, excuses: Excuses): Coverage {
  const total = { targets: 0, own: 0, superseded: 0, inexcusable: 0, late: 0, lost: [] as Violation[], latestMs: 0 };
  for (const job of history.jobs) {
    for (const item of itemsOf(job)) {
      const runs = runsOf(history.runs, job.name, item);
      const excused = excuses.of(job, item);
      for (const target of targetsOf(job, history)) {
        const cover = runs.find((run) => covers(run, target, history));
        const wait = { from: target, to: Math.max(target, cover?.begunAt ?? history.to) };
        const lateMs = uncovered(wait, excused);
        total.targets += 1;
        if (excused.every(({ from, to }) => target < from || target > to)) total.inexcusable += 1;
        const isOwn = cover?.fireTime === target;
        const limitMs = isOwn ? Math.max(history.slackMs, failoverBoundMs(history)) : history.slackMs;
        if (cover !== undefined || lateMs > limitMs) total.latestMs = Math.max(total.latestMs, lateMs);
        if (isOwn && lateMs > history.slackMs) total.late += 1;
        if (lateMs > limitMs && !isOvertaken(target, cover, excuses))
          total.lost.push(lost(job, item, wait, lateMs, cover));
        else if (isOwn) total.own += 1;
        else total.superseded += 1;
      }
    }
  }
  return total;
}

/** True if the run stands for the target. A run that begins before its time stands only for its own target. */
function covers(run: Run, target: number, history: History): boolean {
  if (run.fireTime === undefined || run.fireTime < target) return false;
  return run.fireTime === target || !isEarly(run, history);
}

/** True if an edit of the settings came in between: nobody owes what came before it. */
function isOvertaken(target: number, cover: Run | undefined, excuses: Excuses): boolean {
  if (cover === undefined || cover.fireTime === target) return false;
  return excuses.isEdited(cover.job, { from: target, to: cover.begunAt }, cover.worker);
}

function lost(job: JobPlan, item: number, { from, to }: Span, lateMs: number, cover: Run | undefined): Violation {
  const what = cover ? `the next run began ${to - from} ms later` : 'nothing ran any more';
  const text = `${what}, for ${Math.round(lateMs)} ms of which there is no excuse`;
  return { rule: 'lost', job: job.name, item, at: from, text };
}
