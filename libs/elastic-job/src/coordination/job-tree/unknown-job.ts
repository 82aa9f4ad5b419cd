import { findJobNameFault, findNearestName, type JobName, UnknownJobError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';

/**
 * The error for a job that the namespace does not have, with the name there that is nearest. One request; without its
 * answer no name is given.
 */
export async function unknownJob(registry: RegistryCenter, jobName: JobName): Promise<UnknownJobError> {
  const names = await registry.children('/').catch(() => []);
  const known = names.filter((name) => name !== jobName && findJobNameFault(name) === undefined);
  return new UnknownJobError(jobName, 'registry', false, findNearestName(jobName, known));
}
