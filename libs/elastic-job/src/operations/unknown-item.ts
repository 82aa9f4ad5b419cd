import { type JobPaths, parseItem, unknownJob } from '../coordination/index.js';
import type { RegistryCenter } from '../registry/index.js';
import { namesBelow } from './job-facts.js';
import { UnknownItemError } from './operations.errors.js';

/**
 * Throws the reason why an item has no node: the job lacks it, or there is no such job.
 * @throws {UnknownJobError}
 * @throws {UnknownItemError}
 */
export async function throwUnknownItem(registry: RegistryCenter, paths: JobPaths, item: number): Promise<never> {
  const [root, names] = await Promise.all([registry.exists(paths.root), namesBelow(registry, paths.items)]);
  if (root === undefined) throw await unknownJob(registry, paths.jobName);
  const items = names.flatMap((name) => parseItem(name) ?? []).toSorted((a, b) => a - b);
  throw new UnknownItemError(paths.jobName, item, items);
}
