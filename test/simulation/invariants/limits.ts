import type { History } from '../history.js';
import type { Run } from '../runs.js';
import { DISTURBED, itemKey, type Violation } from './invariant.js';

/** Latest time of a timer, in milliseconds. A drifting clock, and other work in the same moment, may delay it. */
function latest(ms: number): number {
  return 1.05 * ms + 50;
}

/** A run that takes longer than its job allows is told to stop, and has failed. */
export function timeouts(history: History): Violation[] {
  const { tasks } = history.plan;
  return tasks === undefined ? timeoutsOfRuns(history) : timeoutsOfTasks(history, tasks.graceMs);
}

function timeoutsOfRuns(history: History): Violation[] {
  return history.runs.flatMap((run) => {
    const { timeoutMs } = history.plan.jobs.find(({ name }) => name === run.jobName)!;
    if (timeoutMs === undefined) return [];
    const limitMs = latest(timeoutMs);
    if (run.abortedBy === 'JobTimeoutError') {
      const { kind = 'failed' } = history.outcomeOf(run) ?? {};
      const isTrue = kind === 'failed' || kind === 'fenced' || run.releasedAt !== undefined;
      return isTrue ? [] : [violation(run, `took too long, and was told as ${kind}`)];
    }
    const isLong = endOf(run) > run.at + limitMs;
    const isExcused = isLong && !history.isSteady(run.instance, run.at, limitMs);
    if (!history.judges(11, isExcused && DISTURBED) || !isLong) return [];
    return [violation(run, `took longer than ${timeoutMs} ms`)];
  });
}

/** A task has its whole time from its start, whatever becomes of its schedulers, and no more than its grace beyond. */
function timeoutsOfTasks(history: History, graceMs: number): Violation[] {
  return history.tasks.flatMap(({ end, startedAt, ...task }): Violation[] => {
    const { timeoutMs } = history.plan.jobs.find(({ name }) => name === task.jobName)!;
    if (timeoutMs === undefined || startedAt === undefined) return [];
    history.judges(11);
    const endedAt = end?.at ?? history.closingAt;
    const isEarly = end?.killer === 'timeout' && endedAt < startedAt + timeoutMs;
    if (!isEarly && endedAt <= startedAt + timeoutMs + graceMs) return [];
    const message = `task ${task.uid} of ${itemKey(task.jobName, task.item)} ran for ${endedAt - startedAt} ms`;
    return [{ at: endedAt, message: `${message}, and may run for ${timeoutMs} ms`, about: task.jobName }];
  });
}

/** A handler that ignores its signal is reported once, when its time is over. No other handler is reported. */
export function hungHandlers(history: History): Violation[] {
  const graces = new Map(history.of('process').map(({ instance, hungGraceMs }) => [instance, hungGraceMs ?? 30_000]));
  return history.runs.flatMap((run) => {
    const { abortedAt = Infinity, hungAt, instance } = run;
    const graceMs = graces.get(instance) ?? 30_000;
    const [first = Infinity] = hungAt;
    if (hungAt.length > 1) return [violation(run, 'was reported as hung more than once')];
    if (first < abortedAt + 0.95 * graceMs) return [violation(run, 'was reported as hung before its time')];
    const dueAt = abortedAt + latest(graceMs);
    const isForgotten = !history.isSteady(instance, abortedAt, latest(graceMs)) || dueAt > history.closingAt;
    if (first <= dueAt || (run.endedAt ?? Infinity) <= dueAt || isForgotten) return [];
    return [violation(run, 'has not heeded its signal, and nobody was told')];
  });
}

/** Runs are told to stop when the registry has not answered for as long as their process waits. */
export function unawareOfSilence(history: History): Violation[] {
  const sessions = history.of('session');
  return history.of('process').flatMap(({ instance, suspendedGraceMs }) => {
    if (suspendedGraceMs === undefined) return [];
    const own = sessions.filter((session) => session.instance === instance);
    return own.flatMap(({ at, state }, index) => {
      const by = at + latest(suspendedGraceMs);
      const isLong = state === 'SUSPENDED' && (own[index + 1]?.at ?? Infinity) > by;
      if (!isLong || history.isUnfit(instance, at, by)) return [];
      return history.runs
        .filter((run) => run.instance === instance && run.at < at && endOf(run) > by)
        .map((run) => violation(run, 'went on although the registry had been silent for too long'));
    });
  });
}

/** Time at which it ended, or was told to. */
function endOf({ abortedAt = Infinity, endedAt = Infinity }: Run): number {
  return Math.min(abortedAt, endedAt);
}

function violation({ at, run, jobName, item }: Run, what: string): Violation {
  return { at, message: `run ${run} of ${itemKey(jobName, item)} ${what}`, about: `"run":${run}` };
}
