import { failoverBoundMs } from './excuses.js';
import { type History, type JobPlan, type Violation } from './history.js';

/** Time from the healing of the last fault to connected clients, plus the lateness of a trigger. */
const SLACK_MS = 1_500;

export interface Progress {
  readonly job: string;
  /** From the end of the last fault to the next run of a target that is due after it; undefined: none. */
  readonly afterMs: number | undefined;
}

/** Time after the last fault until each job fires again (invariant 16). A death ends with the session. */
export function progress(history: History): readonly Progress[] {
  const over = history.faults.map(({ to, isFatal }) => (isFatal ? to + failoverBoundMs(history) : to));
  const since = Math.max(...over, history.from);
  return history.jobs.map(({ name: job }) => {
    const next = history.runs
      .filter((run) => run.job === job && run.begunAt >= since && (run.fireTime ?? run.begunAt) >= since)
      .map(({ begunAt }) => begunAt - since);
    return { job, afterMs: next.length > 0 ? Math.min(...next) : undefined };
  });
}

/** A job that does not fire within one period after the last fault. */
export function standstill(history: History): readonly Violation[] {
  return progress(history).flatMap(({ job, afterMs = Infinity }) => {
    const { periodMs } = history.jobs.find(({ name }) => name === job)!;
    if (afterMs <= periodMs + Math.max(SLACK_MS, history.slackMs)) return [];
    const text = `fired ${afterMs} ms after the last fault, its period is ${periodMs} ms`;
    return [{ rule: 'no progress' as const, job, item: undefined, at: history.to, text }];
  });
}

/** The longest time between two begins of an item of the job, in milliseconds. */
export function longestGapMs({ runs }: History, { name, items }: JobPlan): number {
  const gaps = Array.from({ length: items }, (_, item) => {
    const begins = runs.filter((run) => run.job === name && run.item === item).map(({ begunAt }) => begunAt);
    const inOrder = begins.toSorted((a, b) => a - b);
    return Math.max(0, ...inOrder.slice(1).map((begin, index) => begin - inOrder[index]!));
  });
  return Math.max(0, ...gaps);
}

/** From each SIGKILL to the next begin of each item that the victim was running, in milliseconds. */
export function failoverTimes({ faults, runs }: History): readonly number[] {
  return faults
    .filter(({ isFatal }) => isFatal)
    .flatMap(({ victim, from }) =>
      runs
        .filter((run) => run.worker === victim && run.outcome === 'open' && run.abortedAt === undefined)
        .flatMap(({ job, item, begunAt }) => {
          const next = runs.filter((run) => run.job === job && run.item === item && run.begunAt > begunAt);
          return next.length > 0 ? [Math.min(...next.map((run) => run.begunAt)) - from] : [];
        }),
    );
}
