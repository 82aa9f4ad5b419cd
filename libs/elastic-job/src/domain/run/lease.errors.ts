import type { JobName } from '../cluster/index.js';
import { ElasticJobError } from '../errors.js';

/**
 * This instance may no longer act for the item; another one may already run it.
 * @remarks Stop the work and write nothing more for the item. `cause` and the `session` events tell why the lease has
 *   ended.
 */
export class LeaseLostError extends ElasticJobError {
  readonly code = 'LEASE_LOST';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    options?: ErrorOptions,
  ) {
    super(`Item ${item} of job "${jobName}" is no longer held by this instance; write nothing more for it.`, options);
  }
}

/**
 * A guarded store has seen a newer token for the item: the writer is stale.
 * @remarks Stop writing: another run holds a newer token. Catch it only to clean up; the other run does the work.
 */
export class FencedError extends ElasticJobError {
  readonly code = 'FENCED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly token: bigint,
  ) {
    super(`Item ${item} of job "${jobName}": the store has seen a newer token than ${token}; this writer is stale.`);
  }
}

/**
 * A run without a fencing token cannot write to a guarded store, or use its checkpoint.
 * @remarks Set the job's `monitorExecution` to true, which is its default.
 */
export class MissingTokenError extends ElasticJobError {
  readonly code = 'MISSING_TOKEN';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
  ) {
    super(
      `Item ${item} of job "${jobName}" has no fencing token, so a guarded store cannot tell it from a stale run; ` +
        `set "monitorExecution" of the job to true.`,
    );
  }
}

/**
 * A handler ran longer than its job's `timeoutMs`. Reason of the aborted signal.
 * @remarks Make the run shorter, split the job into more items, or raise `timeoutMs`.
 */
export class JobTimeoutError extends ElasticJobError {
  readonly code = 'JOB_TIMEOUT';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly timeoutMs: number,
  ) {
    super(`Item ${item} of job "${jobName}" ran longer than ${timeoutMs} ms.`);
  }
}

/**
 * The item still ran at the deadline of the shutdown. Reason of the aborted signal.
 * @remarks Let handlers heed their signal, or raise `drainTimeoutMs`, together with the grace period of the platform.
 */
export class DrainDeadlineError extends ElasticJobError {
  readonly code = 'DRAIN_DEADLINE';
  /** How long the handler may still run before the instance leaves the job, in milliseconds. */
  readonly graceMs = 1_000;

  constructor(
    readonly jobName: JobName,
    readonly drainTimeoutMs: number,
  ) {
    super(`Job "${jobName}" still ran ${drainTimeoutMs} ms after shutdown began.`);
  }
}

const HANDED_OVER = {
  moved: 'the item belongs to another instance now',
  leaving: 'this instance leaves the job',
  suspended: 'the registry has not answered for suspendedGraceMs',
} as const;

/**
 * This instance lets go of the item, and another one takes over its running task. Reason of the aborted signal, only
 * for work whose tasks are `adoptable`: the handler must then leave the task alone.
 * @remarks Leave the task alone and return: another instance follows it from here on.
 */
export class HandedOverError extends ElasticJobError {
  readonly code = 'HANDED_OVER';

  constructor(
    readonly jobName: JobName,
    readonly why: keyof typeof HANDED_OVER,
  ) {
    super(`Job "${jobName}": the task is handed over, because ${HANDED_OVER[why]}.`);
  }
}

/**
 * An operator has removed the instance from the job while the item ran. Reason of the aborted signal.
 * @remarks Restart the process, or call `JobRegistrar.resume`, to bring the instance back.
 */
export class InstanceRemovedError extends ElasticJobError {
  readonly code = 'INSTANCE_REMOVED';

  constructor(
    readonly jobName: JobName,
    readonly instanceId: string,
    /** How long the handler may still run before others take the item, in milliseconds. */
    readonly graceMs: number,
  ) {
    super(
      `Job "${jobName}": instance "${instanceId}" was removed from the job by an operator (the node ` +
        `"/${jobName}/instances/${instanceId}" is gone); restart the process to bring it back, or resume the job ` +
        '(JobRegistrar.resume), also if the whole job is gone.',
    );
  }
}

/**
 * An operator has cancelled this run of the item. Reason of the aborted signal.
 * @remarks Nothing has to be done: an operator has asked for it. Let the handler heed its signal, so that it ends soon.
 * @see JobOperateApi.cancel
 */
export class CancelledError extends ElasticJobError {
  readonly code = 'CANCELLED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
  ) {
    super(`An operator has cancelled item ${item} of job "${jobName}"; its next fire time runs as usual.`);
  }
}

/**
 * The registry has not answered for longer than `suspendedGraceMs`. Reason of the aborted signal.
 * @remarks Check the ensemble and the network, or raise `suspendedGraceMs`.
 */
export class SuspendedTooLongError extends ElasticJobError {
  readonly code = 'SUSPENDED_TOO_LONG';

  constructor(
    readonly jobName: JobName,
    readonly suspendedGraceMs: number,
  ) {
    super(`Job "${jobName}": the registry has not answered for ${suspendedGraceMs} ms; what runs is aborted.`);
  }
}

/**
 * A handler went on although its signal had aborted, so its item was given up to others (`onHung: 'release'`). Reason
 * of the outcome; `cause` is the reason of the signal.
 * @remarks Let the handler heed its signal. Use `onHung: 'release'` only where a fence refuses stale writes.
 */
export class HandlerHungError extends ElasticJobError {
  readonly code = 'HANDLER_HUNG';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly hungGraceMs: number,
    options: { readonly cause: unknown },
  ) {
    super(
      `Item ${item} of job "${jobName}" went on for ${hungGraceMs} ms after its signal had aborted; others may run it.`,
      options,
    );
  }
}

/**
 * The run is a task of its own, and SIGTERM has told it to end. Reason of the aborted signal.
 * @remarks Let the handler heed its signal and return within `graceMs`; after that the process is killed.
 */
export class TaskTerminatedError extends ElasticJobError {
  readonly code = 'TASK_TERMINATED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
  ) {
    super(`Item ${item} of job "${jobName}": its task was told to end (SIGTERM).`);
  }
}

/**
 * Why an item of a resident job has to end on this instance.
 * - `moved`: another instance owns it now, and begins it when it has ended here;
 * - `disabled`: an operator has disabled the item or this server;
 * - `leaving`: this instance leaves the job;
 * - `settings`: the job is no longer resident, or is shared with Java instances.
 */
export type ResidentStop = 'moved' | 'disabled' | 'leaving' | 'settings';

const REASONS: Readonly<Record<ResidentStop, string>> = {
  moved: 'it belongs to another instance now',
  disabled: 'an operator has disabled it here',
  leaving: 'this instance leaves the job',
  settings: 'the settings of the job have changed',
};

/**
 * Reason of the signal that stops an item of a resident job.
 * @remarks End the work: the item starts again where it belongs.
 */
export class ResidentStoppedError extends ElasticJobError {
  readonly code = 'RESIDENT_STOPPED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly why: ResidentStop,
  ) {
    super(`Item ${item} of the resident job "${jobName}" has to end here: ${REASONS[why]}.`);
  }
}
