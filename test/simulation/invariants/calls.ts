import type { History } from '../history.js';
import type { EntryOf } from '../log.js';
import { DISTURBED, timeOf, type Violation } from './invariant.js';

type Call = EntryOf<'operation'> & { readonly instance: number };

/** Longest drain of a process, with the grace that `JobDeparture` gives handlers, in milliseconds. */
const LONGEST_DRAIN_MS = 3_000 + 1_000;
/** The ways in which a call of a process may fail. Any other failure is a fault of the library. */
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
 * 25. Calls of a process's own code are done: a job that it has removed begins nothing there and leaves nothing going
 * on, until it is added again. Every call ends as the API documents it.
 */
export function check25CallsAreDone(history: History): Violation[] {
  const calls = history.of('operation').filter((call): call is Call => call.instance !== undefined);
  return calls.flatMap((call, index) => {
    const { instance, jobName, name, outcome, error = '' } = call;
    const later = calls.slice(index + 1).filter((one) => one.instance === instance && one.jobName === jobName);
    if (outcome === 'failed') return EXPECTED.has(error) ? [] : [violation(call, `failed with ${error}`)];
    if (name === 'remove' && outcome === 'done') {
      const before = calls.slice(0, index).filter((one) => one.instance === instance && one.jobName === jobName);
      return isAddedAgain(before, call.at) ? [] : afterRemoval(history, call, later);
    }
    return outcome === 'asked' ? unended(history, call, later) : [];
  });
}

/**
 * True if a call of `add` waits for the end of the removal that ends at this instant. A further call of `remove` while
 * the job leaves joins the running drain, ends with it, and cancels no `add` that waits for its end.
 */
function isAddedAgain(before: readonly Call[], at: number): boolean {
  const removals = before.filter(({ name }) => name === 'remove');
  const endedEarlier = removals.filter((one) => one.outcome !== 'asked' && one.at < at).length;
  const drain = removals.filter(({ outcome }) => outcome === 'asked')[endedEarlier];
  const since = drain === undefined ? [] : before.slice(before.indexOf(drain));
  return since.some(({ name, outcome }) => name === 'add' && outcome === 'asked');
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
  // Others may overwrite an edit again and again.
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
