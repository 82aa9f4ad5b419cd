import { ElasticJobError, type JobName } from '../../domain/index.js';

/** The registry's `config` node of a job cannot be used. Thrown at start; later the job keeps what it had. */
export class ConfigurationNodeError extends ElasticJobError {
  readonly code = 'CONFIGURATION_NODE';

  constructor(
    readonly jobName: JobName,
    /** One line per fault: the line of the text, or the field with its value. */
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(
      `The registry's config node of job "${jobName}" cannot be used: ${problems.join('; ')}. ` +
        'Correct the node, or start the job once with overwrite: true.',
      options,
    );
  }
}
