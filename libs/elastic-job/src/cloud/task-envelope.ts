import { ElasticJobError, type ExecutionSource, type JobConfiguration, type JobName } from '../domain/index.js';
import type { TaskAnswers } from './task-order.js';

/** Variable that makes a process a worker. */
export const TASK_VARIABLE = 'ELASTIC_JOB_TASK';

/** Most bytes of an envelope: half of what a variable may have on every system. */
export const MOST_ENVELOPE_BYTES = 32_768;

/** Settings of a worker's retries. @see JobOptions */
export type TaskRetries = Pick<
  JobConfiguration,
  'maxAttempts' | 'retryDelayMs' | 'retryFactor' | 'retryMaxDelayMs' | 'retryJitter'
>;

/**
 * Description of a task's run: the JSON in `ELASTIC_JOB_TASK`. It holds no secret. The first fields are Java's sharding
 * context. Readers ignore fields that they do not know. A field never changes its meaning within a `v`, and `v`,
 * `channel` and `report` never do.
 * @see docs/cloud/task-envelope.schema.json, which is for workers in other languages
 */
export interface TaskEnvelope extends TaskAnswers {
  readonly v: 1;
  readonly jobName: JobName;
  readonly taskId: string;
  readonly shardingTotalCount: number;
  readonly jobParameter: string;
  readonly shardingItem: number;
  /** Contains neither `,` nor `=`. */
  readonly shardingParameter?: string;
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly source: ExecutionSource;
  readonly trigger: 'schedule' | { readonly id: string; readonly parameters?: string };
  /** The number of the first attempt that the task makes, from 1. */
  readonly attempt: number;
  /** Counted from 1. @see TaskTarget.launch */
  readonly launch: number;
  /** The fencing token in decimal digits. */
  readonly token: string;
  readonly tokenEpoch: number;
  readonly run: string;
  readonly props: Readonly<Record<string, string>>;
  /** The template that the job was created from. */
  readonly template?: string;
  /** Settings of retries in force. @default those that the worker's own application declares */
  readonly retries?: TaskRetries;
  /** The checkpoint at the begin; undefined or null if there is none. */
  readonly checkpoint?: unknown;
  /** How long the run may take after the start of its process, in milliseconds. */
  readonly timeoutMs?: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** The span of the item, in the form of W3C's `traceparent` header; undefined if the run is not traced. */
  readonly traceparent?: string | undefined;
}

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
