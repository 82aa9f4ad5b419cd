import type { Excuses } from './excuses.js';
import { type History, isEarly, itemsOf, type Run, runsOf, targetsOf, type Told, type Violation } from './history.js';

/**
 * Nothing is silent (invariant 15): every target that a later begin has skipped was either run or reported as missed,
 * never both, and never twice. A target that was begun early may be reported as missed. A begin whose process died or
 * lost its session before it could report is excused; its rescue shows it. Nobody owes what came before an edit.
 */
export function silence(history: History, excuses: Excuses): readonly Violation[] {
  if (history.told === undefined) return [];
  const isOnTime = (run: Run) => !isEarly(run, history);
  return history.jobs.flatMap((job) =>
    itemsOf(job).flatMap((item) => {
      const runs = runsOf(history.runs, job.name, item);
      const onTime = runs.filter(isOnTime);
      const told = history.told!.filter((each) => each.job === job.name && each.item === item);
      return targetsOf(job, history).flatMap((target) => {
        const found = wrong(target, { runs, onTime }, told, excuses);
        return found === undefined ? [] : [{ ...found, job: job.name, item, at: target }];
      });
    }),
  );
}

function wrong(
  target: number,
  { runs, onTime }: { readonly runs: readonly Run[]; readonly onTime: readonly Run[] },
  told: readonly Told[],
  excuses: Excuses,
): Pick<Violation, 'rule' | 'text'> | undefined {
  const tellers = told.filter(({ from, to }) => from <= target && target <= to).map(({ worker }) => worker);
  const run = runs.find(({ fireTime }) => fireTime === target);
  const isTwice = run !== undefined && onTime.includes(run);
  if (tellers.length > (isTwice ? 0 : 1)) {
    return { rule: 'contradicted', text: `run by ${run?.worker ?? 'nobody'}, and told as missed by ${tellers.join()}` };
  }
  if (run !== undefined || tellers.length > 0) return undefined;
  const next = nextOf(onTime, target);
  if (next === undefined || isRescueOfUnheard(next, excuses)) return undefined;
  if (excuses.isEdited(next.job, { from: target, to: next.begunAt }, next.worker)) return undefined;
  return { rule: 'silent', text: `passed by, and neither run nor told; the next run is of ${next.worker}` };
}

/** The first begin for the earliest later target, which has skipped this target. */
function nextOf(runs: readonly Run[], target: number): Run | undefined {
  const later = runs.filter(({ fireTime = -Infinity }) => fireTime > target);
  const fireTime = Math.min(...later.map((run) => run.fireTime!));
  return later.find((run) => run.fireTime === fireTime);
}

function isRescueOfUnheard({ source, fireTime = 0, begunAt }: Run, excuses: Excuses): boolean {
  return source === 'FAILOVER' && excuses.isAnybodyStruck({ from: fireTime, to: begunAt });
}
