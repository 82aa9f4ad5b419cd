import type { JobName } from '../../domain/index.js';
import type { Operation, RegistryCenter } from '../../registry/index.js';
import { ContentionError } from './until-committed.js';

const MOST_ROUNDS = 50;

/**
 * Looks, decides and writes; if the write is refused because of a change in between, does it again. What was refused
 * was seen by this client's server, so the next look shows it.
 * @param attempt returns undefined if its write was refused
 * @throws {ContentionError}
 */
export async function untilAccepted<T>(
  jobName: JobName,
  work: string,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ContentionError(jobName, work);
}

/** Commits the operations, if there are any. @returns false if they were refused; nothing is applied then */
export async function isCommitted(registry: RegistryCenter, operations: readonly Operation[]): Promise<boolean> {
  if (operations.length === 0) return true;
  return (await registry.transaction(operations)).kind === 'committed';
}
