import { type History, itemsOf, type Run, runsOf, type Span, targetsOf, type Violation } from './history.js';

/** A planned change, such as a rolling restart, costs nothing: every target of the span is run exactly once. */
export function inexact(history: History, span: Span): readonly Violation[] {
  return history.jobs.flatMap((job) =>
    itemsOf(job).flatMap((item) => {
      const runs = runsOf(history.runs, job.name, item);
      return targetsOf(job, span).flatMap((target): readonly Violation[] => {
        const own = runs.filter(({ fireTime }) => fireTime === target);
        if (own.length === 1) return [];
        const rule = own.length === 0 ? 'missed' : 'doubled';
        return [{ rule, job: job.name, item, at: target, text: own.map(describe).join(', ') || 'no run' }];
      });
    }),
  );
}

function describe({ worker, source, begunAt, fireTime = 0 }: Run): string {
  return `${source ?? 'a run'} of ${worker} +${begunAt - fireTime} ms`;
}
