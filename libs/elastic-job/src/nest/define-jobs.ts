import { ConfigurationError, findNearestName, type JobOptions, resolveJobOptions } from '../domain/index.js';
import type { JobDefinition } from '../runtime/index.js';
import type { FoundJob } from './found-job.js';
import type { HandlerFactory } from './handler.factory.js';
import type { JobOverrides, ResolvedModuleOptions } from './module-options.js';

/**
 * What decorators and module say, the module's `jobs` going over the decorators.
 * @throws {ConfigurationError} for a wrong option of a job, and for a name in `jobs` that no job has.
 */
export function defineJobs(
  found: readonly FoundJob[],
  handlers: HandlerFactory,
  { jobs, strategies }: ResolvedModuleOptions,
): readonly JobDefinition[] {
  refuseUnknownNames(
    jobs,
    found.map(({ options }) => options.name),
  );
  return found.map((job): JobDefinition => {
    const { name } = job.options;
    return {
      configuration: resolveJobOptions(override(job.options, jobs[name]), {
        place: `job "${name}" (${job.place})`,
        strategies,
      }),
      className: job.place,
      place: job.place,
      handler: handlers.create(job),
    };
  });
}

/** An override that is undefined, such as an environment variable that is not set, changes nothing. */
function override(options: JobOptions, overrides: JobOverrides = {}): JobOptions {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(given), name: options.name };
}

function refuseUnknownNames(jobs: ResolvedModuleOptions['jobs'], known: readonly string[]): void {
  const problems = Object.keys(jobs)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = findNearestName(name, known);
      return `jobs has "${name}", but no job is called so; ${meant ? `did you mean "${meant}"?` : `known are ${known.join(', ') || 'none'}`}`;
    });
  if (problems.length > 0) throw new ConfigurationError('module options', problems);
}
