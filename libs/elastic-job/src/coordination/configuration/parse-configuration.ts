import type { ClockChange, JobName } from '../../domain/index.js';
import { ConfigurationNodeError } from './configuration.errors.js';
import { NESTJS_PROPS } from './nestjs-props.js';
import { readMapping, type YamlMapping } from './yaml-mapping.js';

/** What a `config` node says; a field is undefined if the node does not mention it. */
export interface StoredConfiguration {
  readonly jobName: string | undefined;
  readonly cron: string | undefined;
  readonly timeZone: string | undefined;
  readonly shardingTotalCount: number | undefined;
  readonly shardingItemParameters: string | undefined;
  readonly jobParameter: string | undefined;
  readonly jobShardingStrategyType: string | undefined;
  readonly failover: boolean | undefined;
  readonly misfire: boolean | undefined;
  readonly monitorExecution: boolean | undefined;
  readonly disabled: boolean | undefined;
  readonly description: string | undefined;
  readonly maxTimeDiffSeconds: number | undefined;
  readonly reconcileIntervalMinutes: number | undefined;
  readonly staticSharding: boolean | undefined;
  /** The settings that Java does not have. */
  readonly nestjs: StoredNestjsProps;
}

export interface StoredNestjsProps {
  readonly clockChange: ClockChange | undefined;
  readonly concurrency: number | undefined;
  readonly serverRetentionMinutes: number | undefined;
  readonly shardingTimeoutMs: number | undefined;
  readonly strategy: string | undefined;
  readonly timeZone: string | undefined;
  readonly timeoutMs: number | undefined;
}

/** Settings of Java that have no counterpart here, and `overwrite`, which only counts where it was given. */
const PASSED_OVER = [
  'jobErrorHandlerType',
  'jobExecutorServiceHandlerType',
  'jobExecutorThreadPoolSizeProviderType',
  'jobExtraConfigurations',
  'jobListenerTypes',
  'label',
  'overwrite',
  'props',
];

/**
 * Reads the text of a `config` node as Java does: YAML 1.1, or JSON, which is a form of it. Tagged values (`!!...`, such as
 * data sources) are passed over.
 * @throws {ConfigurationNodeError} with job and line if the text is no YAML mapping, has a key that Java does not know
 * either, or a value of the wrong type; or if ElasticJob 2 wrote it.
 * @see ElasticJob, `JobConfigurationPOJO` of every release 3.x
 */
export function parseConfiguration(text: string, jobName: JobName): StoredConfiguration {
  const read = readMapping(text);
  if (read.kind === 'unreadable') throw new ConfigurationNodeError(jobName, [read.problem], { cause: read.cause });
  const { mapping } = read;
  if (mapping.has('jobClass') || mapping.has('jobType')) {
    const problem = 'it was written by ElasticJob 2 (JSON), while this package speaks ElasticJob 3 (YAML)';
    throw new ConfigurationNodeError(jobName, [problem]);
  }
  const stored = { ...javaSettings(mapping), nestjs: nestjsProps(mapping.mapping('props')) };
  mapping.refuseOthers([...Object.keys(stored), ...PASSED_OVER]);
  if (mapping.problems.length > 0) throw new ConfigurationNodeError(jobName, mapping.problems);
  return stored;
}

function javaSettings(mapping: YamlMapping): Omit<StoredConfiguration, 'nestjs'> {
  return {
    jobName: mapping.text('jobName'),
    cron: mapping.text('cron'),
    timeZone: mapping.text('timeZone'),
    shardingTotalCount: mapping.integer('shardingTotalCount'),
    shardingItemParameters: mapping.text('shardingItemParameters'),
    jobParameter: mapping.text('jobParameter'),
    jobShardingStrategyType: mapping.text('jobShardingStrategyType'),
    failover: mapping.boolean('failover'),
    misfire: mapping.boolean('misfire'),
    monitorExecution: mapping.boolean('monitorExecution'),
    disabled: mapping.boolean('disabled'),
    description: mapping.text('description'),
    maxTimeDiffSeconds: mapping.integer('maxTimeDiffSeconds'),
    reconcileIntervalMinutes: mapping.integer('reconcileIntervalMinutes'),
    staticSharding: mapping.boolean('staticSharding'),
  };
}

function nestjsProps(props: YamlMapping): StoredNestjsProps {
  return {
    clockChange: props.oneOf(NESTJS_PROPS.clockChange, ['quartz', 'natural']),
    concurrency: props.integer(NESTJS_PROPS.concurrency),
    serverRetentionMinutes: props.integer(NESTJS_PROPS.serverRetentionMinutes),
    shardingTimeoutMs: props.integer(NESTJS_PROPS.shardingTimeoutMs),
    strategy: props.text(NESTJS_PROPS.strategy),
    timeZone: props.text(NESTJS_PROPS.timeZone),
    timeoutMs: props.integer(NESTJS_PROPS.timeoutMs),
  };
}
