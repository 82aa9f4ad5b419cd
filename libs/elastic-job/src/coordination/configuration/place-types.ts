import {
  isJavaErrorHandlerType,
  isJavaStrategyType,
  isJavaThreadPoolSizeType,
  JOB_SETTINGS,
  type JobConfiguration,
} from '../../domain/index.js';
import { NESTJS_PROPS, NONE } from './nestjs-props.js';
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
 * A type stands at top level if Java has it, or if the node has it there already: then somebody of Java's does. Any
 * other is one of our props, since Java would go by another strategy in silence, and does not start at all for a
 * listener. The default strategy has no need of a name, unless it is said.
 */
export function placeTypes(
  configuration: JobConfiguration,
  stored?: StoredConfiguration,
  said: ReadonlySet<string> = new Set(),
): PlacedTypes {
  const ifSaid = <T>(prop: string, text: T) => (said.has(prop) ? text : undefined);
  const { type } = configuration.strategy;
  const isNamed = type !== JOB_SETTINGS.strategy.default || type === stored?.jobShardingStrategyType;
  const strategy = place(
    isNamed ? type : ifSaid(NESTJS_PROPS.strategy, type),
    stored?.jobShardingStrategyType,
    isJavaStrategyType,
  );
  const errorHandler = place(
    configuration.jobErrorHandlerType,
    stored?.jobErrorHandlerType,
    isJavaErrorHandlerType,
    ifSaid(NESTJS_PROPS.jobErrorHandlerType, NONE),
  );
  const poolSize = place(
    configuration.jobExecutorThreadPoolSizeProviderType,
    poolSizeIn(stored),
    isJavaThreadPoolSizeType,
    ifSaid(NESTJS_PROPS.jobExecutorThreadPoolSizeProviderType, NONE),
  );
  const knownToJava = new Set(stored?.jobListenerTypes);
  const javaListeners = configuration.jobListenerTypes.filter((name) => knownToJava.has(name));
  const ownListeners = configuration.jobListenerTypes.filter((name) => !knownToJava.has(name));
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
      [NESTJS_PROPS.jobListenerTypes]: ownListeners.join(',') || ifSaid(NESTJS_PROPS.jobListenerTypes, ''),
    },
    javaListeners,
  };
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
