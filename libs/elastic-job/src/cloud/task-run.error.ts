import { ElasticJobError, type JobName } from '../domain/index.js';
import type { TaskReport } from './task-report.js';

/**
 * The handler of a task has thrown. The error is the one in the task's report.
 * @remarks Read the error that the task has reported: name, message and stack are those of the handler's error.
 */
export class TaskFailedError extends ElasticJobError {
  readonly code = 'TASK_FAILED';

  /** @param report the task's report of its end; undefined if there is none */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly report: TaskReport | undefined,
  ) {
    const { name, message } = report?.error ?? { name: 'Error', message: 'it has given no reason' };
    super(`The task of item ${item} of job "${jobName}" has failed: ${name}: ${message}`);
    if (report?.error?.stack !== undefined) this.stack = `${this.message}\n${report.error.stack}`;
  }
}
