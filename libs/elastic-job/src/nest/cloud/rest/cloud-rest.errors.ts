import { ElasticJobError, type JobName } from '../../../domain/index.js';

/**
 * The job cannot be triggered in its present state. Nothing was requested.
 * @remarks Read the reason in the message: it says what has to change before the job can be triggered.
 */
export class CloudTriggerError extends ElasticJobError {
  readonly code = 'CLOUD_TRIGGER';

  /** @param reason the end of a sentence, with the remedy */
  constructor(
    readonly jobName: JobName,
    reason: string,
  ) {
    super(`The cloud job "${jobName}" cannot be triggered: ${reason}.`);
  }
}

/**
 * The text of a registered application or job cannot be used.
 * @remarks Update what is registered under that name; the message names each problem.
 */
export class UnusableCloudNodeError extends ElasticJobError {
  readonly code = 'UNUSABLE_CLOUD_NODE';

  constructor(
    readonly nodeName: string,
    readonly problems: readonly string[],
  ) {
    super(`The registration "${nodeName}" cannot be used: ${problems.join('; ')}. Update it.`);
  }
}

/**
 * Tasks were reconciled a moment ago.
 * @remarks Try again after 10 seconds.
 */
export class RepeatedReconcileError extends ElasticJobError {
  readonly code = 'REPEATED_RECONCILE';

  constructor() {
    super('Tasks have been reconciled less than 10 s ago, or are being reconciled; try again in 10 s.');
  }
}
