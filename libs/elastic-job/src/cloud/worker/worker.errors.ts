import { ElasticJobError, findNearestName, type JobName } from '../../domain/index.js';
import { TASK_VARIABLE } from '../task-envelope.js';

/**
 * This process is no task.
 * @remarks Call `runTask` only if `isElasticJobTask()` says so, and start the application as usual otherwise.
 */
export class MissingTaskError extends ElasticJobError {
  readonly code = 'MISSING_TASK';

  constructor() {
    super(
      `runTask: this process is no task, since ${TASK_VARIABLE} is not set. ` +
        'Call it only if isElasticJobTask() says so, and start the application as usual otherwise.',
    );
  }
}

/**
 * The application of a task lacks the job.
 * @remarks Build the image of the task from the code that the schedulers run, so that it has the same jobs.
 */
export class UnknownTaskJobError extends ElasticJobError {
  readonly code = 'UNKNOWN_TASK_JOB';

  /** @param known the application's jobs */
  constructor(
    readonly jobName: JobName,
    readonly known: readonly JobName[],
  ) {
    const meant = findNearestName(jobName, known);
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    super(
      `This application has no job "${jobName}"; known are ${known.join(', ') || 'none'}.${hint} ` +
        'The image of the task may be older than its schedulers.',
    );
  }
}

/**
 * The application has not booted in time, so nothing of the task was run.
 * @remarks Leave out of the task what no job needs, by `isElasticJobTask()`, or raise `bootTimeoutMs`.
 */
export class TaskBootTimeoutError extends ElasticJobError {
  readonly code = 'TASK_BOOT_TIMEOUT';

  constructor(readonly bootTimeoutMs: number) {
    super(
      `The application of the task has not booted within ${bootTimeoutMs} ms; ` +
        'leave out modules that no job needs if isElasticJobTask(), or raise bootTimeoutMs.',
    );
  }
}

/**
 * The process was about to end before its run had.
 * @remarks Remove the call of `process.exit`, or look for a promise that the handler awaits and that never settles.
 */
export class TaskLeftError extends ElasticJobError {
  readonly code = 'TASK_LEFT';

  constructor(readonly exitCode: number) {
    super(
      `The process was to end with exit code ${exitCode} before its run had ended: ` +
        'process.exit was called, or the handler waits for an event that can no longer come.',
    );
  }
}

/**
 * The scheduler has not saved a checkpoint.
 * @remarks Read the reason in the message. The scheduler has kept the former checkpoint; a later `save` may succeed.
 */
export class CheckpointRefusedError extends ElasticJobError {
  readonly code = 'CHECKPOINT_REFUSED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly reason: string,
  ) {
    super(`Item ${item} of job "${jobName}": the scheduler has not saved the checkpoint: ${reason}`);
  }
}
