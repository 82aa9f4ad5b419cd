import { ElasticJobError } from '../domain/index.js';
import { TASK_VARIABLE } from './task-envelope.js';

/**
 * The envelope is not valid. Nothing of the task was run.
 * @remarks Do not set the variable by hand. Use the same release of this package in the image and in the schedulers. If
 * it is too large, shorten or delete what the message names.
 */
export class TaskEnvelopeError extends ElasticJobError {
  readonly code = 'TASK_ENVELOPE';

  /**
   * @param field the wrong field; undefined for the whole envelope
   * @param problem the end of a sentence that begins with the field
   */
  constructor(
    readonly field: string | undefined,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`${TASK_VARIABLE}: ${field ?? 'the envelope'} ${problem}.`, options);
  }
}

/**
 * The scheduler writes a later version of the envelope than this worker reads. Nothing of the task was run.
 * @remarks Build the image of the task with the release of this package that the schedulers run.
 */
export class NewerTaskEnvelopeError extends ElasticJobError {
  readonly code = 'NEWER_TASK_ENVELOPE';

  constructor(
    readonly version: number,
    readonly known: number,
  ) {
    super(
      `${TASK_VARIABLE}: the envelope is of version ${version}, and this worker reads up to ${known}; ` +
        'build its image with the release of nestjs-elastic-job that the schedulers run.',
    );
  }
}
