// One scheduler of ours under chaos: the items of its jobs are child processes.
import { fileURLToPath } from 'node:url';
import { LocalProcesses } from '../../../libs/elastic-job/src/cloud/index.js';
import { TaskScheduler } from '../../../libs/elastic-job/src/nest/cloud/task-scheduler.js';
import { type InstanceParts, runInstance } from '../cluster/stage/instance.js';
import type { TaskVariables } from './task-line.js';

const MAX_TASKS = 12;
const COMMAND = [process.execPath, fileURLToPath(new URL('./task.mjs', import.meta.url))];

await runInstance(({ settings, clock, runtime, registry }) => {
  const backend = new LocalProcesses({
    maxTasks: MAX_TASKS,
    supervisorUrl: new URL('./supervisor.mjs', import.meta.url),
  });
  const defaults = {
    // The default grace, far longer than a session.
    task: { command: COMMAND, env: { ...variablesOf(settings) }, graceMs: 30_000 },
    resources: { memoryMb: 256 },
  };
  const scheduler = new TaskScheduler({ backend, cluster: 'chaos', defaults }, runtime, clock, registry);
  return {
    define: (job) => scheduler.schedule({ ...job, handler: isForTasks }),
    start: () => scheduler.start(),
    stop: () => scheduler.stop(),
  };
});

function isForTasks(): never {
  throw new Error('An item has run within its scheduler.');
}

function variablesOf({ name, runLog, leastMs, mostMs }: InstanceParts['settings']): TaskVariables {
  return { LEDGER: runLog, SCHEDULER: name, LEAST_MS: String(leastMs), MOST_MS: String(mostMs) };
}
