/** Parts that have a span. */
export type TracedPart = 'run' | 'item';

/** Meaning of each span; its name is the kind and the job's name. */
export const SPANS: Readonly<Record<TracedPart, string>> = {
  run: 'the items that this instance has begun together: from before their begin until all of them are settled',
  item: "one item: from its handler's first call until it is settled. Child of the run; its retries are events of it",
};

/** An attribute of a span. */
export interface SpanAttribute {
  readonly of: readonly TracedPart[];
  readonly description: string;
}

const BOTH = ['run', 'item'] as const;

/**
 * Attributes of the spans. Names come from OpenTelemetry's conventions if these have one. Facts of ElasticJob have the
 * names of OpenTelemetry's Java agent (`apache-elasticjob-3.0`, experimental attributes), so that one query finds the
 * runs of Java and Node instances. All others have the same prefix.
 */
export const SPAN_ATTRIBUTES = {
  'job.system': { of: BOTH, description: 'always `elasticjob`' },
  'scheduling.apache-elasticjob.job.name': { of: BOTH, description: 'the job' },
  'scheduling.apache-elasticjob.source': {
    of: BOTH,
    description: 'source of the run: `NORMAL_TRIGGER`, `MISFIRE`, `FAILOVER`',
  },
  'scheduling.apache-elasticjob.origin': {
    of: BOTH,
    description: 'origin of the run: `schedule`, `resident`, `manual:<id>`, `rerun:<id>`',
  },
  'scheduling.apache-elasticjob.fire.time': { of: BOTH, description: 'the fire time, in ISO 8601' },
  'scheduling.apache-elasticjob.run.id': {
    of: ['run'],
    description: 'the run in the records of its items; absent without `monitorExecution`',
  },
  'scheduling.apache-elasticjob.sharding.items': { of: ['run'], description: 'the items, ascending' },
  'scheduling.apache-elasticjob.task.id': {
    of: ['item'],
    description: "ElasticJob's task id, as in the tables of its history",
  },
  'scheduling.apache-elasticjob.sharding.item.index': { of: ['item'], description: 'the item' },
  'scheduling.apache-elasticjob.sharding.total.count': { of: ['item'], description: 'number of items of the job' },
  'scheduling.apache-elasticjob.sharding.item.parameters': {
    of: ['item'],
    description: "the item's entry of `shardingItemParameters`; absent if it has none",
  },
  'scheduling.apache-elasticjob.attempts': { of: ['item'], description: 'number of calls of its handler' },
  'scheduling.apache-elasticjob.outcome': {
    of: ['item'],
    description: '`succeeded`, `failed`, `aborted`, or `fenced` if its lease is over',
  },
  'scheduling.apache-elasticjob.executor.backend': {
    of: ['item'],
    description:
      'for work in tasks: the backend, `processes`; absent, like all of `executor`, if no task does the work',
  },
  'scheduling.apache-elasticjob.executor.task.id': { of: ['item'], description: 'the task, as its backend names it' },
  'scheduling.apache-elasticjob.executor.launch': {
    of: ['item'],
    description: 'number of the launch for its target, from 1',
  },
  'scheduling.apache-elasticjob.executor.adopted': {
    of: ['item'],
    description: 'true if another instance has launched it',
  },
  'scheduling.apache-elasticjob.executor.node': {
    of: ['item'],
    description: 'its machine; absent if unknown',
  },
  'scheduling.apache-elasticjob.executor.state': {
    of: ['item'],
    description: "its final state, in ElasticJob-Cloud's words: `FINISHED`, `FAILED`, `KILLED`",
  },
  'process.exit.code': { of: ['item'], description: 'exit code of a task that has ended by itself' },
  'error.type': {
    of: BOTH,
    description: "after a failure: the error's `code` or class; for a run `items_failed`. The status is `ERROR` then",
  },
} as const satisfies Readonly<Record<string, SpanAttribute>>;

/** The name of an attribute. */
export type SpanAttributeName = keyof typeof SPAN_ATTRIBUTES;
