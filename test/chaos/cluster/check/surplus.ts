import { failoverBoundMs, type Excuses } from './excuses.js';
import { type History, isEarly, itemsOf, type Run, runsOf, type Violation } from './history.js';
import { touches } from './spans.js';

/** Time from the return of a handler to the record of its end, on a shared machine. */
const SETTLE_MS = 1_000;

/**
 * Nothing runs without a reason (invariants 4 and 21). All but the first of the runs for a target are failovers, each
 * of a run that had not ended well or whose end could not be written. A run for no target has no reason.
 */
export function surplus(history: History, excuses: Excuses): readonly Violation[] {
  const found: Violation[] = [];
  for (const job of history.jobs) {
    for (const item of itemsOf(job)) {
      const runs = runsOf(history.runs, job.name, item);
      for (const [index, run] of runs.entries()) {
        const before = runs.slice(0, index);
        const text = isUnplanned(run, job.periodMs)
          ? whyUnplanned(run, before, history, excuses)
          : whySurplus(
              run,
              before.findLast(({ fireTime }) => fireTime === run.fireTime),
              history,
              excuses,
            );
        if (text)
          found.push({ rule: 'unexplained', job: job.name, item, at: run.begunAt, text: `${nameOf(run)} ${text}` });
      }
    }
  }
  return found;
}

function isUnplanned({ fireTime }: Run, periodMs: number): boolean {
  return fireTime === undefined || fireTime % periodMs !== 0;
}

/** Java does not report why it runs, so any run of the item that a fault has cut short may be the reason. */
function whyUnplanned(run: Run, before: readonly Run[], history: History, excuses: Excuses): string | undefined {
  if (run.fireTime !== undefined) return 'is for a time at which nothing is due';
  const longAgo = run.begunAt - 3 * failoverBoundMs(history);
  const isRescue = before.some((each) => each.begunAt > longAgo && mayHaveFailed(each, history, excuses));
  return isRescue ? undefined : 'is for no target, and no run of the item was cut short';
}

function whySurplus(run: Run, last: Run | undefined, history: History, excuses: Excuses): string | undefined {
  if (last === undefined) return whyFirst(run, history, excuses);
  if (isRepeatOfEarly(run, last, history)) return undefined;
  if (run.source !== undefined && run.source !== 'FAILOVER') return `comes after ${nameOf(last)} for the same target`;
  if (mayHaveFailed(last, history, excuses)) return undefined;
  return `rescues ${nameOf(last)}, which had ended well`;
}

/** The one exception to one begin for each target: a fire time that was begun early, and reported so, may run again. */
function isRepeatOfEarly(run: Run, last: Run, history: History): boolean {
  const isTold = history.early.some(
    ({ job, item, fireTime }) => job === run.job && item === run.item && fireTime >= last.fireTime!,
  );
  return isTold && isEarly(last, history) && !isEarly(run, history);
}

/** A holder may have died after its begin, before its handler could report. */
function whyFirst(run: Run, history: History, excuses: Excuses): string | undefined {
  if (run.source !== 'FAILOVER') return undefined;
  const { begunAt, fireTime = begunAt } = run;
  // A clock that ran ahead may have begun it long before its fire time.
  const from = fireTime < begunAt ? fireTime : begunAt - 3 * failoverBoundMs(history);
  const since = { from, to: begunAt };
  return excuses.isAnybodyStruck(since) ? undefined : 'rescues a run that nobody has begun, and nothing was broken';
}

/** True if its end may not have reached the registry. */
function mayHaveFailed(run: Run, history: History, excuses: Excuses): boolean {
  if (run.outcome !== 'succeeded') return true;
  const ended = { from: run.begunAt, to: (run.endedAt ?? run.begunAt) + SETTLE_MS };
  const refused = excuses.refused(run.job, run.item).filter((span) => touches(span, ended));
  const written = { from: ended.from, to: Math.max(ended.to, ...refused.map(({ to }) => to)) };
  return excuses.isStruck(run.worker, written);
}

function nameOf({ worker, begunAt, source, token }: Run): string {
  return `${source ?? 'a run'} of ${worker} at ${new Date(begunAt).toISOString().slice(11, 23)} (token ${token})`;
}
