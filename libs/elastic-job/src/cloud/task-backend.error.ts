import { ElasticJobError } from '../domain/index.js';
import type { TaskKey } from './task-order.js';

/**
 * A backend failed to do what it was asked for, or did not answer: the request may have had its effect all the same.
 * @remarks Check the backend. The request may have had its effect, and may be repeated.
 */
export class TaskBackendError extends ElasticJobError {
  readonly code = 'TASK_BACKEND';

  /**
   * @param backend its name
   * @param request the request: `claim`
   * @param key of the task; undefined if the request was for no single one
   */
  constructor(
    readonly backend: string,
    readonly request: string,
    readonly key: TaskKey | undefined,
    detail: string,
    options?: ErrorOptions,
  ) {
    const of = key === undefined ? '' : ` of item ${key.item} of job "${key.jobName}"`;
    super(`${backend}: ${request}${of} had no answer: ${detail}; it can be repeated.`, options);
  }
}
