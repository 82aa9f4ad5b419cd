/** What has a span. */
export type TracedPart = 'run' | 'item';

/** What each span stands for; its name is the kind and the job's name. */
export const SPANS: Readonly<Record<TracedPart, string>> = {
  run: 'the items that this instance has begun together: from before their begin until all of them are settled',
  item: "one item: from its handler's first call until it is settled. Child of the run; its retries are events of it",
};

/** What a span tells, and where the name comes from. */
export interface SpanAttribute {
  readonly of: readonly TracedPart[];
  readonly description: string;
}

const BOTH = ['run', 'item'] as const;

/**
 * The attributes of the spans. Where OpenTelemetry's conventions have a name it is theirs; what ElasticJob has is named
 * as OpenTelemetry's Java agent names it (`apache-elasticjob-3.0`, experimental attributes), so that one query finds
 * the runs of Java and Node instances; the rest stands under the same prefix.
 */
export const SPAN_ATTRIBUTES = {
  'job.system': { of: BOTH, description: 'always `elasticjob`' },
  'scheduling.apache-elasticjob.job.name': { of: BOTH, description: 'the job' },
  'scheduling.apache-elasticjob.source': {
    of: BOTH,
    description: 'why it runs: `NORMAL_TRIGGER`, `MISFIRE`, `FAILOVER`',
  },
  'scheduling.apache-elasticjob.origin': {
    of: BOTH,
    description: 'what asked for it: `schedule`, `resident`, `manual:<id>`',
  },
  'scheduling.apache-elasticjob.fire.time': { of: BOTH, description: 'the instant it stands for, in ISO 8601' },
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
  'scheduling.apache-elasticjob.sharding.total.count': { of: ['item'], description: 'how many items the job has' },
  'scheduling.apache-elasticjob.sharding.item.parameters': {
    of: ['item'],
    description: "the item's entry of `shardingItemParameters`; absent if it has none",
  },
  'scheduling.apache-elasticjob.attempts': { of: ['item'], description: 'how often its handler was called' },
  'scheduling.apache-elasticjob.outcome': {
    of: ['item'],
    description: '`succeeded`, `failed`, `aborted`, or `fenced` if another run of the item holds the newer token',
  },
  'scheduling.apache-elasticjob.executor.backend': {
    of: ['item'],
    description:
      'of work in tasks: the backend, `processes`; absent, as all of `executor`, where no task does the work',
  },
  'scheduling.apache-elasticjob.executor.task.id': { of: ['item'], description: 'the task, as its backend names it' },
  'scheduling.apache-elasticjob.executor.launch': {
    of: ['item'],
    description: 'which launch of its target it is, from 1',
  },
  'scheduling.apache-elasticjob.executor.adopted': {
    of: ['item'],
    description: 'true if another instance has launched it',
  },
  'scheduling.apache-elasticjob.executor.node': {
    of: ['item'],
    description: 'the machine that it runs on; absent if it is not known',
  },
  'scheduling.apache-elasticjob.executor.state': {
    of: ['item'],
    description: "the state in which it has ended, in ElasticJob-Cloud's words: `FINISHED`, `FAILED`, `KILLED`",
  },
  'process.exit.code': { of: ['item'], description: 'of a task that has ended by itself' },
  'error.type': {
    of: BOTH,
    description: "of what has failed: the error's `code` or class; of a run `items_failed`. The status is `ERROR` then",
  },
} as const satisfies Readonly<Record<string, SpanAttribute>>;

/** The name of an attribute. */
export type SpanAttributeName = keyof typeof SPAN_ATTRIBUTES;
