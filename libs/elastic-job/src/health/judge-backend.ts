import { messageOf, type TaskBackendStatus } from '../domain/index.js';
import { degraded, down, type Finding } from './finding.js';

/**
 * Judges a backend of tasks, and reports the tasks that it cannot reach.
 * @param now milliseconds since the epoch
 * @param lostMs how long a backend that does not answer is `degraded` before it is `down`, in milliseconds
 */
export function judgeBackend(backend: TaskBackendStatus | undefined, now: number, lostMs: number): Finding[] {
  if (backend === undefined) return [];
  const { error, failingSince, name, tasks } = backend;
  const unreachable = tasks.filter(({ state }) => state === 'UNREACHABLE');
  const held = unreachable.map(({ item, jobName, since }) =>
    degraded(
      `job "${jobName}": the task of item ${item} is UNREACHABLE since ${instant(since)}, and the item stays busy; ` +
        'FailoverService.confirmLost frees it if the task is gone',
    ),
  );
  if (failingSince === undefined) return held;
  const reason = `the task backend ${name} has not answered since ${instant(failingSince)}: ${messageOf(error)}`;
  return [now - failingSince > lostMs ? down(reason) : degraded(reason), ...held];
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
