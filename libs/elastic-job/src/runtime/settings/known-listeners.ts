import { inOwnContext } from '../../async-context/index.js';
import type { LocalJob } from '../../coordination/index.js';
import {
  ConfigurationError,
  type ElasticJobListener,
  findNearestName,
  type KnownListener,
  readListener,
} from '../../domain/index.js';
import type { JobDefinition } from './job-definition.js';

/**
 * Listeners that apply here, read once: those of the job's definition and those of the process.
 * @throws {ConfigurationError} if the job's options name a type that none of them has. Further types in the registry
 * are for Java peers
 * @throws whatever a listener's getters throw
 */
export function knownListeners(
  { configuration, listeners: own = [], place, tasks }: JobDefinition,
  shared: readonly ElasticJobListener[],
): readonly KnownListener[] {
  const listeners = [...own, ...shared].map((listener) => inOwnContext(() => readListener(listener)));
  const types = listeners.flatMap(({ type }) => type ?? []);
  const problems = configuration.jobListenerTypes
    .filter((type) => !types.includes(type))
    .map((type) => {
      const meant = findNearestName(type, types);
      const hint = meant === undefined ? `known are ${types.join(', ') || 'none'}` : `did you mean "${meant}"?`;
      return `jobListenerTypes has "${type}", but none of the module's \`listeners\` is of that type; ${hint}`;
    });
  if (problems.length > 0) throw new ConfigurationError(`job "${configuration.jobName}" (${place})`, problems);
  if (tasks === undefined) return listeners;
  // Listeners of single items are called in the task.
  return listeners.filter(({ distributesOnce }) => distributesOnce);
}

/** Adds the types of the listeners that distribute once, which are written where Java reads them. */
export function withOnceTypes(definition: JobDefinition, listeners: readonly KnownListener[]): LocalJob {
  const onceListenerTypes = listeners.flatMap(({ distributesOnce, type }) => (distributesOnce && type) || []);
  return onceListenerTypes.length === 0 ? definition : { ...definition, onceListenerTypes };
}
