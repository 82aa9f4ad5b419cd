import { findJobNameFault, type JobName, parseCreatedJob, type TemplateName } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';

/** Most roots read at once. */
const ROOTS_AT_ONCE = 500;

/** A job whose root says that it was created from a template. */
export interface FoundJob {
  readonly template: TemplateName;
  readonly isBeingRemoved: boolean;
  /** Identity of its root. */
  readonly czxid: bigint;
}

/** Reads the roots of all jobs, and gives those that were created from a template. @throws the signal's reason */
export async function readCreatedJobs(registry: RegistryCenter, signal: AbortSignal): Promise<Map<JobName, FoundJob>> {
  const names = (await registry.children('/', { signal })).filter((name) => findJobNameFault(name) === undefined);
  const found = new Map<JobName, FoundJob>();
  for (let from = 0; from < names.length; from += ROOTS_AT_ONCE) {
    const some = names.slice(from, from + ROOTS_AT_ONCE);
    const roots = await registry.readMany(
      some.map((name) => `/${name}`),
      { signal },
    );
    for (const [index, root] of roots.entries()) {
      const created = parseCreatedJob(root?.data ?? '');
      if (created !== undefined) found.set(some[index]!, { ...created, czxid: root!.stat.czxid });
    }
  }
  return found;
}
