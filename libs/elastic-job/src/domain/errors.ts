/**
 * The base of every error that this package throws on purpose.
 *
 * `code` is stable and meant for machines; `message` says what happened, to which job, and what to try.
 */
export abstract class ElasticJobError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A setting that cannot work. Thrown at start, before anything is written to the registry. */
export class ConfigurationError extends ElasticJobError {
  readonly code = 'CONFIGURATION';

  /**
   * @param place what holds the setting, such as `job "settle-orders" (OrderJobs.settle)` or `module options`
   * @param problems one line per wrong field: the field, the value that was given and what would be right
   */
  constructor(
    readonly place: string,
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`${place}: ${problems.join('; ')}`, options);
  }
}

/** A job name that no job has: none of this process, or, where an operator asks, none of the registry's namespace. */
export class UnknownJobError extends ElasticJobError {
  readonly code = 'UNKNOWN_JOB';

  constructor(
    readonly jobName: string,
    /** Where it was looked for. */
    readonly place: 'process' | 'registry' = 'process',
  ) {
    super(
      place === 'process'
        ? `No job "${jobName}" is registered in this process; register it with @ElasticJob or JobRegistrar first.`
        : `The registry has no job "${jobName}" in this namespace; compare the name with those of JobStatisticsApi.`,
    );
  }
}
