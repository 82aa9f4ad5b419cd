import type { History } from '../history.js';
import type { EntryOf } from '../log.js';
import type { Run } from '../runs.js';
import { byItem, DISTURBED, itemKey, timeOf, type Violation } from './invariant.js';

/** Longest time until a question to the registry is answered or given up, in milliseconds. */
const LONGEST_QUESTION_MS = 2_000;

/**
 * 24. `assertHeld` passes only while no newer token of the item exists, and refuses no held item: it passes for a run
 * that was not told to stop, on a process with an undisturbed way to the registry.
 */
export function check24HeldIsCurrent(history: History): Violation[] {
  const runs = new Map(history.runs.map((run) => [run.run, { run, own: history.beginOf(run)?.zxid }]));
  const begins = byItem(history.begins);
  return history.of('held').flatMap((answer): Violation[] => {
    const { run, own } = runs.get(answer.run)!;
    if (own === undefined) return [];
    if (!answer.isHeld) history.judges(24, !isSteadyAt(history, run, answer) && DISTURBED);
    if (!answer.isHeld)
      return isNeedless(history, run, answer) ? [violation(run, answer, 'was refused, and is held')] : [];
    const newer = begins.get(itemKey(run.jobName, run.item))?.find(({ zxid }) => zxid > own && zxid <= answer.zxid);
    const isExcused = newer !== undefined && mayNotKnow(history, run, answer.at);
    if (!history.judges(24, isExcused && 'its session was ended before its time') || newer === undefined) return [];
    return [violation(run, answer, `passed, and ${newer.record.by} has begun the item at ${timeOf(newer.at)}`)];
  });
}

function isNeedless(history: History, run: Run, { at }: EntryOf<'held'>): boolean {
  if (run.abortedAt !== undefined && run.abortedAt <= at) return false;
  // A clock that was set forward is in doubt until the registry has answered.
  if (wasSetForward(history, run, at)) return false;
  return isSteadyAt(history, run, { at });
}

function wasSetForward(history: History, { instance }: Run, at: number): boolean {
  return history.clockSteps(at - LONGEST_QUESTION_MS, at).some((step) => step.instance === instance && step.ms > 0);
}

function isSteadyAt(history: History, { instance }: Run, { at }: Pick<EntryOf<'held'>, 'at'>): boolean {
  return history.isSteady(instance, at - history.promptMs, history.promptMs);
}

/**
 * True if the process may not have learned it from the registry yet: its session was ended before its time, or an
 * operator has shut it down a moment ago, or while it was cut off.
 */
function mayNotKnow(history: History, { at: since, instance, jobName }: Run, at: number): boolean {
  const ended = history
    .of('fault')
    .findLast(
      (fault) => fault.fault === 'expire' && fault.instance === instance && fault.at >= since && fault.at <= at,
    );
  const isHeard = ({ at: lostAt, ...session }: EntryOf<'session'>) =>
    session.instance === instance && session.state === 'LOST' && lostAt >= ended!.at && lostAt < at;
  if (ended !== undefined && !history.of('session').some(isHeard)) return true;
  return history.shutdowns.some(
    (shutdown) =>
      shutdown.instance === instance &&
      shutdown.jobName === jobName &&
      shutdown.at >= since &&
      shutdown.at <= at &&
      (at < shutdown.at + history.promptMs || !history.isSteady(instance, shutdown.at, at - shutdown.at)),
  );
}

function violation({ run, jobName, item }: Run, { at }: EntryOf<'held'>, what: string): Violation {
  return { at, message: `assertHeld of run ${run} of ${itemKey(jobName, item)} ${what}`, about: `"run":${run}` };
}
