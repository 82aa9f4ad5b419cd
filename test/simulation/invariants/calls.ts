import type { History } from '../history.js';
import type { EntryOf } from '../log.js';
import { DISTURBED, timeOf, type Violation } from './invariant.js';

type Call = EntryOf<'operation'> & { readonly instance: number };

/** A process drains for so long, and gives handlers as long again as `JobDeparture` does. In milliseconds. */
const LONGEST_DRAIN_MS = 3_000 + 1_000;
/** The ways in which a call of a process may fail; anything else is a fault of the library. */
const EXPECTED: ReadonlySet<string> = new Set([
  'UnknownJobError',
  'ConfigurationError',
  'SessionLostError',
  'RegistryUnavailableError',
  'ServerError',
  'NoAuthError',
  'InstanceRemovedError',
  'LeftJobError',
  'ShuttingDownError',
]);

/**
 * 25. Calls of a process's own code are done: a job that it has removed begins nothing there and leaves nothing
 * going on, until it is added again; every call ends, as the API says it may.
 */
export function check25CallsAreDone(history: History): Violation[] {
  const calls = history.of('operation').filter((call): call is Call => call.instance !== undefined);
  return calls.flatMap((call, index) => {
    const { instance, jobName, name, outcome, error = '' } = call;
    const later = calls.slice(index + 1).filter((one) => one.instance === instance && one.jobName === jobName);
    if (outcome === 'failed') return EXPECTED.has(error) ? [] : [violation(call, `failed with ${error}`)];
    if (name === 'remove' && outcome === 'done') {
      // A further call while the job leaves joins the drain that is under way, and takes back no `add` that waits for
      // its end.
      const before = calls.slice(0, index).filter((one) => one.instance === instance && one.jobName === jobName);
      const sinceAdded = before.slice(before.findLastIndex((one) => one.name === 'add' && one.outcome === 'done') + 1);
      const drain = sinceAdded.findIndex((one) => one.name === 'remove' && one.outcome === 'asked');
      const isAddedAgain = sinceAdded.slice(drain).some((one) => one.name === 'add' && one.outcome === 'asked');
      return isAddedAgain ? [] : afterRemoval(history, call, later);
    }
    return outcome === 'asked' ? unended(history, call, later) : [];
  });
}

function afterRemoval(history: History, call: Call, later: readonly Call[]): Violation[] {
  // An earlier call of `add` may have waited for the end of the drain.
  const until = later.find(({ name, outcome }) => name === 'add' && outcome !== 'failed')?.at ?? Infinity;
  return history.runs
    .filter((run) => run.instance === call.instance && run.jobName === call.jobName)
    .flatMap((run) => {
      if (run.at > call.at && run.at < until) return [violation(call, `and run ${run.run} began there`, run.at)];
      const isOver = Math.min(run.endedAt ?? Infinity, run.abortedAt ?? Infinity) <= call.at;
      return run.at > call.at || isOver ? [] : [violation(call, `and run ${run.run} went on there`)];
    });
}

function unended(history: History, call: Call, later: readonly Call[]): Violation[] {
  const { at, instance, name } = call;
  const byMs = LONGEST_DRAIN_MS + 4 * history.promptMs;
  // An edit may be written over and over by others.
  const isExcused = at + byMs > history.closingAt || name.startsWith('edit') || !history.isSteady(instance, at, byMs);
  const end = later.find((one) => one.name === name && one.outcome !== 'asked');
  const isInTime = (end?.at ?? Infinity) <= at + byMs;
  return !history.judges(25, isExcused && !isInTime && DISTURBED) || isInTime
    ? []
    : [violation(call, `has not ended after ${byMs} ms`, at + byMs)];
}

function violation({ at, instance, jobName, name }: Call, what: string, when = at): Violation {
  const message = `the call "${name}" of ${jobName} on instance ${instance}, at ${timeOf(at)}, ${what}`;
  return { at: when, message, about: `"instance":${instance}` };
}
