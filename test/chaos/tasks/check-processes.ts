import type { Violation } from '../cluster/check/index.js';
import type { ProcessLife } from './process-watch.js';

/**
 * Finds processes of two runs of one item that lived at the same time, whatever these were told and have told. Pure.
 * Nothing excuses that: neither a fault of a scheduler, nor a task that ignores its signals.
 */
export function processFaults(lives: readonly ProcessLife[]): readonly Violation[] {
  const firsts = lives.filter(({ begin, pid }) => begin.pid === pid);
  return firsts.flatMap((life) => {
    const former = lives.filter(({ begin }) => begin.at < life.begin.at && isSameItem(begin, life.begin));
    const living = former.filter(({ begin, seenAt }) => begin.run !== life.begin.run && seenAt > life.begin.at);
    return living.map((other) => violation(other, life));
  });
}

function isSameItem(a: ProcessLife['begin'], b: ProcessLife['begin']): boolean {
  return a.job === b.job && a.item === b.item;
}

function violation(former: ProcessLife, { begin }: ProcessLife): Violation {
  const { job, item, at, worker, pid } = begin;
  const of = former.begin;
  const overMs = former.seenAt - at;
  const text = `process ${pid} of ${worker} began ${overMs} ms before process ${former.pid} of ${of.worker} was gone`;
  return { rule: 'overlap', job, item, at, text };
}
