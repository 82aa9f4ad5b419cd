import {
  isJavaErrorHandlerType,
  isJavaStrategyType,
  isJavaThreadPoolSizeType,
  isJavaTimeZone,
  JOB_SETTINGS,
  type JobConfiguration,
  NONE,
} from '../../domain/index.js';
import { isCreated, type StoredConfiguration } from './parse-configuration.js';

type Texts = Readonly<Record<string, string | undefined>>;

/** Settings that are names and may be absent. */
export type NamedSetting = 'timeZone' | 'jobErrorHandlerType' | 'jobExecutorThreadPoolSizeProviderType';

export const POOL_SIZE = 'jobExecutorThreadPoolSizeProviderType';

/** Places of the names of a job's types and zone. */
interface PlacedTypes {
  /** Names by key of the node's top level. */
  readonly java: Texts;
  /** Names by setting, for the node's props. */
  readonly own: Texts;
  readonly javaListeners: readonly string[];
}

/**
 * Places each type: at top level if Java has it, or if the node has it there already and a Java process thus has it.
 * Any other type goes into our props: Java would silently use another strategy, and would not start at all with an
 * unknown listener. Only a distribute-once listener stands at top level for Java peers to have it too, since it waits
 * for their items; a job created from a template has no such peers.
 * @param said settings that are written even with their default
 * @param onceTypes types of listeners that distribute once
 */
export function placeTypes(
  configuration: JobConfiguration,
  stored: StoredConfiguration | undefined,
  said: ReadonlySet<string>,
  onceTypes: readonly string[],
): PlacedTypes {
  const placeNamed = (setting: NamedSetting, kept: string | undefined, isJava: (type: string) => boolean) =>
    place(configuration[setting], kept, isJava, said.has(setting) ? NONE : undefined);
  const strategy = place(strategyOf(configuration, stored, said), stored?.jobShardingStrategyType, isJavaStrategyType);
  const timeZone = placeNamed('timeZone', undefined, isJavaTimeZone);
  const errorHandler = placeNamed('jobErrorHandlerType', stored?.jobErrorHandlerType, isJavaErrorHandlerType);
  const poolSize = placeNamed(POOL_SIZE, poolSizeIn(stored), isJavaThreadPoolSizeType);
  const { jobListenerTypes } = configuration;
  const atTop = new Set(stored?.jobListenerTypes);
  const hasOwn = jobListenerTypes.some((name) => !atTop.has(name));
  if (stored === undefined || !isCreated(stored)) for (const type of onceTypes) atTop.add(type);
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
      // Also written if it is empty: nothing of the local options is then added to what stands at top level.
      jobListenerTypes:
        hasOwn || said.has('jobListenerTypes')
          ? jobListenerTypes.filter((name) => !atTop.has(name)).join(',')
          : undefined,
    },
    javaListeners: jobListenerTypes.filter((name) => atTop.has(name)),
  };
}

/** Strategy to write. The default needs no name, unless the node has it already or it is in `said`. */
function strategyOf(
  { strategy: { type } }: JobConfiguration,
  stored: StoredConfiguration | undefined,
  said: ReadonlySet<string>,
): string | undefined {
  const isNamed = type === stored?.jobShardingStrategyType || said.has('strategy');
  return isNamed || type !== JOB_SETTINGS.strategy.default ? type : undefined;
}

/** @param none value among our props if there is no type */
function place(
  type: string | undefined,
  stored: string | undefined,
  isJava: (type: string) => boolean,
  none?: string,
): { readonly java: string | undefined; readonly own: string | undefined } {
  const isAtTop = type !== undefined && (type === stored || isJava(type));
  return isAtTop ? { java: type, own: undefined } : { java: undefined, own: type ?? none };
}

/** Size of Java's thread pool, by whichever of its two keys the node has. */
export function poolSizeIn(stored: StoredConfiguration | undefined): string | undefined {
  return stored?.jobExecutorThreadPoolSizeProviderType ?? stored?.jobExecutorServiceHandlerType;
}

// Each key stops instances that know only the other one, so the key is never switched, and never written twice.
function poolSizeKeyIn(stored: StoredConfiguration | undefined) {
  const isOld = stored?.jobExecutorServiceHandlerType !== undefined;
  const isNew = stored?.jobExecutorThreadPoolSizeProviderType !== undefined;
  return isOld && !isNew ? 'jobExecutorServiceHandlerType' : 'jobExecutorThreadPoolSizeProviderType';
}
