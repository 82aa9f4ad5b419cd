import {
  isJavaErrorHandlerType,
  isJavaStrategyType,
  isJavaThreadPoolSizeType,
  isJavaTimeZone,
  JOB_SETTINGS,
  type JobConfiguration,
  NONE,
} from '../../domain/index.js';
import type { StoredConfiguration } from './parse-configuration.js';

type Texts = Readonly<Record<string, string | undefined>>;

/** The settings that are names and may have none. */
export type NamedSetting = 'timeZone' | 'jobErrorHandlerType' | 'jobExecutorThreadPoolSizeProviderType';

export const POOL_SIZE = 'jobExecutorThreadPoolSizeProviderType';

/** Where the names of a job's types, and of its zone, are written. */
interface PlacedTypes {
  /** By key of the node's top level. */
  readonly java: Texts;
  /** By name of the setting, for the node's props. */
  readonly own: Texts;
  readonly javaListeners: readonly string[];
}

/**
 * A type stands at top level if Java has it, or if the node has it there already: then somebody of Java's does. Any
 * other is one of our props, since Java would go by another strategy in silence, and does not start at all for a
 * listener.
 * @param said settings that are written even as the default
 */
export function placeTypes(
  configuration: JobConfiguration,
  stored: StoredConfiguration | undefined,
  said: ReadonlySet<string>,
): PlacedTypes {
  const placeNamed = (setting: NamedSetting, kept: string | undefined, isJava: (type: string) => boolean) =>
    place(configuration[setting], kept, isJava, said.has(setting) ? NONE : undefined);
  const strategy = place(strategyOf(configuration, stored, said), stored?.jobShardingStrategyType, isJavaStrategyType);
  const timeZone = placeNamed('timeZone', undefined, isJavaTimeZone);
  const errorHandler = placeNamed('jobErrorHandlerType', stored?.jobErrorHandlerType, isJavaErrorHandlerType);
  const poolSize = placeNamed(POOL_SIZE, poolSizeIn(stored), isJavaThreadPoolSizeType);
  const knownToJava = new Set(stored?.jobListenerTypes);
  const javaListeners = configuration.jobListenerTypes.filter((name) => knownToJava.has(name));
  const ownListeners = configuration.jobListenerTypes.filter((name) => !knownToJava.has(name));
  return {
    java: {
      jobShardingStrategyType: strategy.java,
      timeZone: timeZone.java,
      jobErrorHandlerType: errorHandler.java,
      [poolSizeKeyIn(stored)]: poolSize.java,
    },
    own: {
      strategy: strategy.own,
      timeZone: timeZone.own,
      jobErrorHandlerType: errorHandler.own,
      jobExecutorThreadPoolSizeProviderType: poolSize.own,
      jobListenerTypes: ownListeners.length > 0 || said.has('jobListenerTypes') ? ownListeners.join(',') : undefined,
    },
    javaListeners,
  };
}

/** The strategy to write: the default one needs no name, unless the node has it already or it is said. */
function strategyOf(
  { strategy: { type } }: JobConfiguration,
  stored: StoredConfiguration | undefined,
  said: ReadonlySet<string>,
): string | undefined {
  const isNamed = type === stored?.jobShardingStrategyType || said.has('strategy');
  return isNamed || type !== JOB_SETTINGS.strategy.default ? type : undefined;
}

/** @param none what is written among ours if there is no type */
function place(
  type: string | undefined,
  stored: string | undefined,
  isJava: (type: string) => boolean,
  none?: string,
): { readonly java: string | undefined; readonly own: string | undefined } {
  const isAtTop = type !== undefined && (type === stored || isJava(type));
  return isAtTop ? { java: type, own: undefined } : { java: undefined, own: type ?? none };
}

/** The size of Java's thread pool, by whichever of its two keys the node has. */
export function poolSizeIn(stored: StoredConfiguration | undefined): string | undefined {
  return stored?.jobExecutorThreadPoolSizeProviderType ?? stored?.jobExecutorServiceHandlerType;
}

// Either key stops the instances that only know the other: it is never switched, and there are never both.
function poolSizeKeyIn(stored: StoredConfiguration | undefined) {
  const isOld = stored?.jobExecutorServiceHandlerType !== undefined;
  const isNew = stored?.jobExecutorThreadPoolSizeProviderType !== undefined;
  return isOld && !isNew ? 'jobExecutorServiceHandlerType' : 'jobExecutorThreadPoolSizeProviderType';
}
