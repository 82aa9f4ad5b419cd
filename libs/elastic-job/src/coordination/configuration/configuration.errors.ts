import { ElasticJobError, type JobName } from '../../domain/index.js';

/** Most faults that are reported of one text. */
const TOLD_PROBLEMS = 20;
const TOLD_CHARACTERS = 500;

/**
 * The registry's `config` node of a job is unusable. The last usable text stays in force; without one nothing of the
 * job begins until the node is corrected.
 * @remarks Correct the `config` node through `JobConfigurationApi` or the console, or start the job once with
 *   `overwrite: true`.
 */
export class ConfigurationNodeError extends ElasticJobError {
  readonly code = 'CONFIGURATION_NODE';

  /** One line per fault: the line of the text, or the field with its value. Long ones are cut. */
  readonly problems: readonly string[];

  constructor(
    readonly jobName: JobName,
    problems: readonly string[],
    options?: ErrorOptions,
  ) {
    const told = problems.slice(0, TOLD_PROBLEMS).map(cut);
    super(
      `The registry's config node of job "${jobName}" cannot be used: ${told.join('; ')}. ` +
        'Correct the node, or start the job once with overwrite: true.',
      options,
    );
    this.problems = told;
  }
}

function cut(problem: string): string {
  return problem.length <= TOLD_CHARACTERS ? problem : `${problem.slice(0, TOLD_CHARACTERS)}...`;
}

/**
 * A job created from a template was removed, is about to be, or was replaced by a new one of its name.
 * @remarks Nothing has to be done, if the removal was meant. Else create the job again from its template.
 */
export class JobRemovedError extends ElasticJobError {
  readonly code = 'JOB_REMOVED';

  constructor(readonly jobName: JobName) {
    super(`Job "${jobName}" was removed; this process leaves it.`);
  }
}

/**
 * The job belongs to ElasticJob 2, whose instances cannot share it with this package. It is left unchanged.
 * @remarks Choose another job name or namespace. `importElasticJob2Configuration` makes options of the old text.
 */
export class ElasticJob2ConfigurationError extends ElasticJobError {
  readonly code = 'ELASTIC_JOB_2_CONFIGURATION';

  constructor(readonly jobName: JobName) {
    super(
      `The registry's config node of job "${jobName}" cannot be used: it was written by ElasticJob 2 (JSON), but ` +
        'this package reads the YAML of ElasticJob 3. Use another job name or namespace; ' +
        'importElasticJob2Configuration turns the text into options for it.',
    );
  }
}
