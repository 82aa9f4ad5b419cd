import type {
  BegunItem,
  ItemWork,
  JobConfiguration,
  JobType,
  RunTrace,
  ShardingContext,
  SparseMap,
  TaskLife,
} from '../../domain/index.js';

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
 * @param contexts gets the context of each item, if the work wants to hear of its settled runs
 */
export function handlerOf(
  work: JobWork,
  trace: RunTrace | undefined,
  contexts: SparseMap<number, ShardingContext>,
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
