import { ID_DELIMITER, type JobName } from '../cluster/index.js';

/**
 * Names the run of one instance for one trigger. Its state is always READY, whatever the source; without items that
 * part is empty.
 * @param items ascending
 * @see ElasticJob, `TaskContext`
 */
export function formatTaskId(jobName: JobName, items: readonly number[], instanceId: string): string {
  return [jobName, items.join(','), 'READY', instanceId].join(ID_DELIMITER);
}

/** The `ip` part of the instance in a task id; ElasticJob's slave id. */
export function serverIpOfTask(taskId: string): string {
  return taskId.split(ID_DELIMITER)[3] ?? '';
}
