import {
  DEFAULT_STRATEGY,
  isJavaErrorHandlerType,
  isJavaStrategyType,
  isJavaThreadPoolSizeType,
  type JobConfiguration,
} from '../../domain/index.js';
import { NESTJS_PROPS } from './nestjs-props.js';
import type { StoredConfiguration } from './parse-configuration.js';

type Texts = Readonly<Record<string, string | undefined>>;

/** Where the names of a job's types are written. */
export interface PlacedTypes {
  /** By key of the node's top level. */
  readonly java: Texts;
  /** By key of the node's props. */
  readonly own: Texts;
  readonly javaListeners: readonly string[];
}

/**
 * A type stands at top level if Java has it, or if the node has it there already: then somebody of Java's does. Any other
 * is one of our props, since Java would go by another strategy in silence, and does not start at all for a listener.
 */
export function placeTypes(configuration: JobConfiguration, stored?: StoredConfiguration): PlacedTypes {
  const strategy = placeStrategy(configuration.strategy.type, stored?.jobShardingStrategyType);
  const errorHandler = place(configuration.jobErrorHandlerType, stored?.jobErrorHandlerType, isJavaErrorHandlerType);
  const poolSize = place(
    configuration.jobExecutorThreadPoolSizeProviderType,
    poolSizeIn(stored),
    isJavaThreadPoolSizeType,
  );
  const javaListeners = configuration.jobListenerTypes.filter((type) => stored?.jobListenerTypes?.includes(type));
  const ownListeners = configuration.jobListenerTypes.filter((type) => !javaListeners.includes(type));
  return {
    java: {
      jobShardingStrategyType: strategy.java,
      jobErrorHandlerType: errorHandler.java,
      [poolSizeKeyIn(stored)]: poolSize.java,
    },
    own: {
      [NESTJS_PROPS.strategy]: strategy.own,
      [NESTJS_PROPS.jobErrorHandlerType]: errorHandler.own,
      [NESTJS_PROPS.jobExecutorThreadPoolSizeProviderType]: poolSize.own,
      [NESTJS_PROPS.jobListenerTypes]: ownListeners.join(',') || undefined,
    },
    javaListeners,
  };
}

/** The default has no need of a name. */
function placeStrategy(type: string, stored: string | undefined) {
  return place(type === DEFAULT_STRATEGY && stored !== type ? undefined : type, stored, isJavaStrategyType);
}

function place(type: string | undefined, stored: string | undefined, isJava: (type: string) => boolean) {
  const isAtTop = type !== undefined && (type === stored || isJava(type));
  return isAtTop ? { java: type, own: undefined } : { java: undefined, own: type };
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
