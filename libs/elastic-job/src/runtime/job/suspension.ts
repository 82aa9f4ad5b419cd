import { HandedOverError, SuspendedTooLongError } from '../../domain/index.js';
import type { JobDefinition } from '../settings/index.js';

/** Reason with which runs end after the registry was silent for too long. */
export function suspensionOf({ configuration, tasks }: JobDefinition, graceMs: number): Error {
  const { jobName } = configuration;
  return tasks === 'adoptable'
    ? new HandedOverError(jobName, 'suspended')
    : new SuspendedTooLongError(jobName, graceMs);
}
