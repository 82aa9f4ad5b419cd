import type { Shutdown } from '../history.js';
import { indexOf, type History } from '../history.js';
import type { EntryOf } from '../log.js';
import { DISTURBED, type Violation } from './invariant.js';

/**
 * An instance that an operator has taken out of a job begins nothing more of it, aborts its runs, and does not come
 * back by itself.
 */
export function shutdowns(history: History): Violation[] {
  return history.shutdowns
    .filter(({ at, instance }) =>
      history.judges(11, !history.isSteady(instance, at - history.promptMs, 2 * history.promptMs) && DISTURBED),
    )
    .flatMap((shutdown) => disobedience(history, shutdown).map((what) => violation(shutdown, what)));
}

/** Time at which the process's own code adds the job again, or resumes it. It may already wait for that. */
function takenBack(history: History, { at, jobName, instance }: Shutdown): number {
  const isOwn = (call: EntryOf<'operation'>) => call.instance === instance && call.jobName === jobName;
  const calls = history
    .of('operation')
    .filter((call) => isOwn(call) && (call.name === 'add' || call.name === 'resume'));
  const latest = calls.findLast((call) => call.at < at);
  return latest?.outcome === 'asked' ? at : (calls.find((call) => call.at >= at)?.at ?? Infinity);
}

function* returns(history: History, { at, jobName, instance }: Shutdown, until: number): Iterable<string> {
  for (const commit of history.commits) {
    for (const { kind, path } of commit.writes) {
      if (commit.at <= at || commit.at >= until || kind !== 'created' || !path.startsWith(`/${jobName}/instances/`))
        continue;
      if (indexOf(path) === instance) yield 'came back';
    }
  }
}

function disobedience(history: History, shutdown: Shutdown): string[] {
  const { at, jobName, instance } = shutdown;
  const heardAt = at + history.promptMs;
  const until = takenBack(history, shutdown);
  const own = history.runs.filter((run) => run.jobName === jobName && run.instance === instance);
  const late = own.filter((run) => run.at > heardAt && run.at < until).map(({ run }) => `began run ${run}`);
  const unaware = own
    .filter((run) => run.at <= heardAt && run.at < until)
    .filter((run) => Math.min(run.endedAt ?? Infinity, run.abortedAt ?? Infinity) > heardAt)
    .map(({ run }) => `went on with run ${run}`);
  return [...late, ...unaware, ...returns(history, shutdown, until)];
}

function violation({ at, jobName, instance, instanceId }: Shutdown, what: string): Violation {
  return { at, message: `instance ${instance} was taken out of ${jobName}, and ${what}`, about: instanceId };
}
