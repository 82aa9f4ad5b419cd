import { ElasticJobError, type JobName } from '../../domain/index.js';

/**
 * This instance is no longer registered under the job: an operator has shut it down, or its session is over.
 * @remarks Restart the process if an operator has shut the instance down. After a lost session it joins again by
 *   itself.
 */
export class RemovedFromJobError extends ElasticJobError {
  readonly code = 'REMOVED_FROM_JOB';

  constructor(
    readonly jobName: JobName,
    readonly instanceId: string,
  ) {
    super(`Instance "${instanceId}" is no longer registered under job "${jobName}"; it begins nothing.`);
  }
}
