import { ID_DELIMITER, type JobName } from '../cluster/index.js';

/**
 * Names what an instance does for one trigger. Always READY, whatever the source of the run; without items the part is
 * empty.
 * @param items ascending
 * @see ElasticJob, `TaskContext`
 */
export function formatTaskId(jobName: JobName, items: readonly number[], instanceId: string): string {
  return [jobName, items.join(','), 'READY', instanceId].join(ID_DELIMITER);
}

/** The `ip` part of the instance that a task id names; ElasticJob's slave id. */
export function serverIpOfTask(taskId: string): string {
  return taskId.split(ID_DELIMITER)[3] ?? '';
}
