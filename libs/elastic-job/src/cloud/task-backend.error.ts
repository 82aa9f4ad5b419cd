import { ElasticJobError } from '../domain/index.js';
import type { TaskKey } from './task-order.js';

/** A backend did not do what it was asked for, or nobody knows: the request may have had its effect all the same. */
export class TaskBackendError extends ElasticJobError {
  readonly code = 'TASK_BACKEND';

  /**
   * @param backend its name
   * @param request what was asked: `claim`
   * @param key of the task; undefined: the request was for no single one
   */
  constructor(
    readonly backend: string,
    readonly request: string,
    readonly key: TaskKey | undefined,
    detail: string,
    options?: ErrorOptions,
  ) {
    const of = key === undefined ? '' : ` of item ${key.item} of job "${key.jobName}"`;
    super(`${backend}: ${request}${of} came to no answer, since ${detail}; it may be repeated.`, options);
  }
}
