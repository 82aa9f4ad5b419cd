import { type CreatedJob, findJobNameFault, type JobName, parseCreatedJob } from '../../domain/index.js';
import type { RegistryCenter, RequestOptions } from '../../registry/index.js';

/** Most roots read at once. */
const ROOTS_AT_ONCE = 500;

/** A job whose root says that it was created from a template. */
export interface FoundJob extends CreatedJob {
  /** Identity of its root. */
  readonly czxid: bigint;
}

/**
 * Reads the roots of jobs, and gives those that were created from a template.
 * @param names children of the namespace, which need not be jobs
 * @throws the signal's reason
 */
export async function readCreatedJobs(
  registry: RegistryCenter,
  names: readonly string[],
  options: RequestOptions = {},
): Promise<Map<JobName, FoundJob>> {
  const jobs = names.filter((name) => findJobNameFault(name) === undefined);
  const found = new Map<JobName, FoundJob>();
  for (let from = 0; from < jobs.length; from += ROOTS_AT_ONCE) {
    const some = jobs.slice(from, from + ROOTS_AT_ONCE);
    const roots = await registry.readMany(
      some.map((name) => `/${name}`),
      options,
    );
    for (const [index, root] of roots.entries()) {
      const created = parseCreatedJob(root?.data ?? '');
      if (created !== undefined) found.set(some[index]!, { ...created, czxid: root!.stat.czxid });
    }
  }
  return found;
}
