import type { Begin, History } from '../history.js';
import type { EntryOf } from '../log.js';
import type { Run } from '../runs.js';
import { isSameTarget } from '../../../libs/elastic-job/src/domain/index.js';
import { itemKey, type Violation } from './invariant.js';

/**
 * A cancel aborts the run that it names, and those that adopt its task. A cancelled run is reported as aborted, and not
 * failed over.
 */
export function cancels(history: History): Violation[] {
  const asked = history.of('operation').filter(({ name, id }) => name === 'cancel' && id !== undefined);
  const named = new Set(asked.map(({ id }) => id));
  const cancelled = history.runs.filter(({ abortedBy }) => abortedBy === 'CancelledError');
  return [
    ...asked.flatMap((request) => unheard(history, request)),
    ...cancelled.flatMap((run) => {
      const begin = history.beginOf(run);
      if (begin === undefined || [begin, ...adopted(history, begin)].some(({ record }) => named.has(record.run)))
        return afterCancel(history, run);
      return [violation(run, 'was cancelled, and nobody has asked for it')];
    }),
  ];
}

/** Earlier begins of the same launch: a run takes over the task of the others, and what it was told. */
function adopted(history: History, { at, jobName, item, record }: Begin): readonly Begin[] {
  const { launch, target } = record;
  if (launch === undefined) return [];
  return history
    .beginsOf(jobName, item)
    .filter((other) => other.at < at && other.record.launch === launch && isSameTarget(other.record.target, target));
}

function unheard(history: History, { at, jobName, item, id }: EntryOf<'operation'>): Violation[] {
  if (
    !history.judges(
      11,
      !history.isCalm(at, history.promptMs) && 'a request of an operator while something was disturbed',
    )
  )
    return [];
  return history.runs
    .filter((run) => run.jobName === jobName && run.item === item && history.beginOf(run)?.record.run === id)
    .filter(({ endedAt, abortedAt }) => Math.min(endedAt ?? Infinity, abortedAt ?? Infinity) > at + history.promptMs)
    .map((run) => violation(run, 'went on although it was cancelled'));
}

function afterCancel(history: History, run: Run): Violation[] {
  const told = history.outcomeOf(run);
  if (told === undefined || told.kind === 'fenced') return [];
  if (told.kind !== 'aborted') return [violation(run, `was cancelled, and told as ${told.kind}`)];
  const isRescued = history.begins.some(
    ({ at, isClaim, item, record, jobName }) =>
      isClaim &&
      at > run.abortedAt! &&
      item === run.item &&
      isOf(run, { jobName, ...record.target }) &&
      !history.isMarkedByHand(run.jobName, item, run.abortedAt!, at),
  );
  return isRescued ? [violation(run, 'was cancelled, and failed over')] : [];
}

function isOf(run: Run, target: Pick<Run, 'jobName' | 'fireTime' | 'origin'>): boolean {
  return run.jobName === target.jobName && isSameTarget(run, target);
}

function violation({ at, run, jobName, item, abortedAt = at }: Run, what: string): Violation {
  return { at: abortedAt, message: `run ${run} of ${itemKey(jobName, item)} ${what}`, about: `"run":${run}` };
}
