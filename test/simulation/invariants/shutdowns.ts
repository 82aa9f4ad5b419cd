import type { Shutdown } from '../history.js';
import { indexOf, type History } from '../history.js';
import type { Violation } from './invariant.js';

/** Whom an operator has taken out of a job begins nothing more of it, aborts what it runs, and does not come back. */
export function shutdowns(history: History): Violation[] {
  return history.shutdowns
    .filter(({ at, instance }) => history.isSteady(instance, at - history.promptMs, 2 * history.promptMs))
    .flatMap((shutdown) => disobedience(history, shutdown).map((what) => violation(shutdown, what)));
}

function* returns(history: History, { at, jobName, instance }: Shutdown): Iterable<string> {
  for (const commit of history.commits) {
    for (const { kind, path } of commit.writes) {
      if (commit.at <= at || kind !== 'created' || !path.startsWith(`/${jobName}/instances/`)) continue;
      if (indexOf(path) === instance) yield 'came back';
    }
  }
}

function disobedience(history: History, shutdown: Shutdown): string[] {
  const { at, jobName, instance } = shutdown;
  const heardAt = at + history.promptMs;
  const own = history.runs.filter((run) => run.jobName === jobName && run.instance === instance);
  const late = own.filter((run) => run.at > heardAt).map(({ run }) => `began run ${run}`);
  const unaware = own
    .filter((run) => run.at <= heardAt && Math.min(run.endedAt ?? Infinity, run.abortedAt ?? Infinity) > heardAt)
    .map(({ run }) => `went on with run ${run}`);
  return [...late, ...unaware, ...returns(history, shutdown)];
}

function violation({ at, jobName, instance, instanceId }: Shutdown, what: string): Violation {
  return { at, message: `instance ${instance} was taken out of ${jobName}, and ${what}`, about: instanceId };
}
