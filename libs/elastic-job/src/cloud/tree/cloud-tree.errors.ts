import { ElasticJobError, type JobName } from '../../domain/index.js';

/**
 * No application of that name is registered.
 * @remarks Register the application first, or compare the name with those of the list.
 */
export class UnknownCloudAppError extends ElasticJobError {
  readonly code = 'UNKNOWN_CLOUD_APP';

  constructor(readonly appName: string) {
    super(`No application "${appName}" is registered; register it first, or compare the name with those of the list.`);
  }
}

/**
 * An application of that name is registered already. Nothing was written.
 * @remarks Update the application that is registered, or choose another name.
 */
export class CloudAppExistsError extends ElasticJobError {
  readonly code = 'CLOUD_APP_EXISTS';

  constructor(readonly appName: string) {
    super(`The application "${appName}" is registered already; update it, or take another name.`);
  }
}

/**
 * The application is disabled, so no job of it can be registered. Nothing was written.
 * @remarks Enable the application first, then register the job.
 */
export class CloudAppDisabledError extends ElasticJobError {
  readonly code = 'CLOUD_APP_DISABLED';

  constructor(
    readonly appName: string,
    readonly jobName: JobName,
  ) {
    super(`Job "${jobName}": its application "${appName}" is disabled; enable that first.`);
  }
}

/**
 * No job of that name is registered.
 * @remarks Register the job first, or compare the name with those of the list.
 */
export class UnknownCloudJobError extends ElasticJobError {
  readonly code = 'UNKNOWN_CLOUD_JOB';

  constructor(readonly jobName: JobName) {
    super(`No cloud job "${jobName}" is registered; register it first, or compare the name with those of the list.`);
  }
}

/**
 * A job of that name is registered already. Nothing was written.
 * @remarks Update the job that is registered, or choose another name.
 */
export class CloudJobExistsError extends ElasticJobError {
  readonly code = 'CLOUD_JOB_EXISTS';

  constructor(readonly jobName: JobName) {
    super(`The cloud job "${jobName}" is registered already; update it, or take another name.`);
  }
}

/**
 * A job of that name is disabled, although it is not registered. Nothing was written.
 * @remarks Enable the job first, then register it.
 */
export class CloudJobDisabledError extends ElasticJobError {
  readonly code = 'CLOUD_JOB_DISABLED';

  constructor(readonly jobName: JobName) {
    super(`The cloud job "${jobName}" is disabled; enable it first, then register it.`);
  }
}

/**
 * A scheduler of ElasticJob-Cloud stands for election, so its state must not be taken over.
 * @remarks Stop the schedulers of ElasticJob-Cloud, then start again.
 */
export class LiveCloudSchedulerError extends ElasticJobError {
  readonly code = 'LIVE_CLOUD_SCHEDULER';

  /** @param participants texts of their nodes, which are their addresses */
  constructor(readonly participants: readonly string[]) {
    super(
      `ElasticJob-Cloud still schedules this namespace (${participants.join(', ')}), so nothing was taken over. ` +
        'Stop its schedulers; one that has crashed is gone with its session.',
    );
  }
}
