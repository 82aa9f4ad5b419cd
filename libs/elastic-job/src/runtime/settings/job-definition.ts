import { inOwnContext } from '../../async-context/index.js';
import type { LocalJob } from '../../coordination/index.js';
import {
  type BegunItem,
  type CheckProps,
  ConfigurationError,
  type ElasticJobListener,
  findNearestName,
  type ItemWork,
  type JobConfiguration,
  type JobName,
  type JobType,
  type KnownListener,
  type PropTargets,
  readListener,
  type ResolvedTemplateLimits,
  type RunTrace,
  type ShardingContext,
  type TaskLife,
  type TemplateName,
} from '../../domain/index.js';

/** A job as this process declares it, before the registry was asked. */
export interface JobDefinition {
  /** Settings of decorator and module. At start, the registry's `config` node is laid over them. */
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. Two different class names cannot share a job. */
  readonly className: string;
  /** Place of the job's declaration, for messages: `OrderJobs.settle`. */
  readonly place: string;
  readonly handler: ItemWork;
  /** Finds faults in the props of the job's work. @default props are not checked */
  readonly findPropsFaults?: CheckProps;
  /** Props that name the commands or addresses of the job's work. @default none */
  readonly targets?: PropTargets;
  /** Set if tasks do the job's work. @default the handler does */
  readonly tasks?: TaskLife;
  /** Called after a run of the handler is settled. @default not called */
  readonly settled?: JobType['settled'];
  /** Called around each run of the job on this instance, in addition to the process's listeners. @default none */
  readonly listeners?: readonly ElasticJobListener[];
  /** For a template and its jobs: limits of the jobs that are created from it. @default none */
  readonly limits?: ResolvedTemplateLimits;
  /**
   * For a job created from a template: the czxid of its root, which tells it from a later job of the same name.
   * @internal
   */
  readonly createdAs?: bigint;
  /** Called when the job may be about to go, or gone. @internal */
  readonly onRootChanged?: () => void;
  /** Called when `config` may have another text, before anything begins with it. @internal */
  readonly onConfigurationChanged?: (text: string | undefined) => void;
}

/** Template from which jobs are created while the cluster runs. */
export interface JobTemplate extends Omit<
  JobDefinition,
  'className' | 'createdAs' | 'onRootChanged' | 'onConfigurationChanged'
> {
  readonly name: TemplateName;
  /**
   * True if this process takes part in the job now. Call `TemplateJobs.findJobsSoon` after the answer has changed.
   * @default it takes part in every job of the template
   */
  readonly admits?: (jobName: JobName) => boolean;
  /** Called when the `config` of a job may have another text, before anything begins with it. @default not called */
  readonly onConfigurationOf?: (jobName: JobName, text: string | undefined) => void;
  /** Settings under the template's name, for everything that the registry does not set for a job. */
  readonly configuration: JobConfiguration;
}

/** Work of a job's items. */
export interface JobWork {
  readonly handler: ItemWork;
  /** Called after a run of the handler is settled. @default not called */
  readonly settled?: JobType['settled'];
  /** Set if tasks do the job's work. @default the handler does */
  readonly tasks?: TaskLife;
}

/**
 * Handler of one run. Its trace is outermost, so that a user's interceptors are part of the traced run.
 * @param contexts gets the context of each item, if the work is to be notified of its settled runs
 */
export function handlerOf(
  work: JobWork,
  trace: RunTrace | undefined,
  contexts: Map<number, ShardingContext>,
): ItemWork {
  const handler = trace === undefined ? work.handler : traced(work, trace);
  if (work.settled === undefined) return handler;
  return (context, begun) => {
    contexts.set(context.shardingItem, context);
    return handler(context, begun);
  };
}

/**
 * Settings of a run. Tasks repeat their work themselves, and their backend counts their time from their start. Their
 * items are free only once they have ended: two tasks of an item would run otherwise.
 */
export function configurationOf({ tasks }: JobWork, configuration: JobConfiguration): JobConfiguration {
  if (tasks === undefined) return configuration;
  return { ...configuration, maxAttempts: 1, timeoutMs: undefined, onHung: 'wait' };
}

function traced({ handler, tasks }: JobWork, trace: RunTrace): ItemWork {
  const told = tasks === undefined ? (_item: number, begun?: BegunItem) => begun : withTrace(trace);
  return (context, begun) => trace.aroundItem(context, () => handler(context, told(context.shardingItem, begun)));
}

/** Data of an item's begin as its task receives it. */
function withTrace(trace: RunTrace) {
  return (item: number, begun?: BegunItem): BegunItem | undefined =>
    begun && {
      ...begun,
      trace: { traceparent: trace.traceparentOf?.(item), task: (task) => trace.task?.(item, task) },
    };
}

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
