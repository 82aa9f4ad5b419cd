import {
  type ClockChangeOption,
  type ConcurrencyOption,
  hiddenProps,
  HiddenText,
  type JobName,
  MISFIRE_POLICIES,
  type MisfirePolicy,
  ON_HUNG,
  type OnHung,
  type TemplateName,
  THREAD_POOL_SIZES,
} from '../../domain/index.js';
import { ConfigurationNodeError, ElasticJob2ConfigurationError } from './configuration.errors.js';
import { NESTJS_PREFIX, NESTJS_PROPS, NONE } from './nestjs-props.js';
import { readMapping, type YamlMapping } from './yaml-mapping.js';

const OUR_KEYS: ReadonlySet<string> = new Set(Object.values(NESTJS_PROPS));

/** What a `config` node says; a field is undefined if the node does not mention it. */
export interface StoredConfiguration {
  readonly jobName: string | undefined;
  readonly cron: string | undefined;
  readonly timeZone: string | undefined;
  readonly shardingTotalCount: number | undefined;
  readonly shardingItemParameters: string | undefined;
  readonly jobParameter: string | undefined;
  readonly jobShardingStrategyType: string | undefined;
  readonly jobErrorHandlerType: string | undefined;
  /** Called so since ElasticJob 3.0.5. */
  readonly jobExecutorThreadPoolSizeProviderType: string | undefined;
  /** The same setting as it was called before. */
  readonly jobExecutorServiceHandlerType: string | undefined;
  readonly jobListenerTypes: readonly string[] | undefined;
  readonly jobExtraConfigurations: HiddenText | undefined;
  readonly failover: boolean | undefined;
  readonly misfire: boolean | undefined;
  readonly monitorExecution: boolean | undefined;
  readonly staticSharding: boolean | undefined;
  readonly disabled: boolean | undefined;
  readonly overwrite: boolean | undefined;
  readonly description: string | undefined;
  readonly label: string | undefined;
  readonly maxTimeDiffSeconds: number | undefined;
  readonly reconcileIntervalMinutes: number | undefined;
  /** The user's. */
  readonly props: Readonly<Record<string, string>>;
  /** The settings that Java does not have. */
  readonly nestjs: StoredNestjsProps;
  readonly unknown: UnknownParts;
}

/** True if the node is that of a job which was created from a template: it says only what differs from that. */
export function isCreated({ nestjs }: StoredConfiguration): boolean {
  return nestjs.template !== undefined;
}

/** `none` is a setting that has no value; undefined is one that the node leaves to the local options. */
export interface StoredNestjsProps {
  readonly clockChange: ClockChangeOption | undefined;
  readonly concurrency: ConcurrencyOption | typeof NONE | undefined;
  readonly jobErrorHandlerType: string | undefined;
  readonly jobExecutorThreadPoolSizeProviderType: string | undefined;
  readonly jobListenerTypes: string | undefined;
  readonly serverRetentionMinutes: number | undefined;
  readonly shardingTimeoutMs: number | undefined;
  readonly strategy: string | undefined;
  readonly timeZone: string | undefined;
  readonly timeoutMs: number | typeof NONE | undefined;
  readonly onHung: OnHung | undefined;
  readonly shutdownGraceMs: number | undefined;
  readonly failoverQueueLimit: number | undefined;
  readonly maxExecutorFailovers: number | undefined;
  readonly resident: boolean | undefined;
  readonly misfirePolicy: MisfirePolicy | undefined;
  readonly misfireLimit: number | undefined;
  readonly maxAttempts: number | undefined;
  readonly retryDelayMs: number | undefined;
  readonly retryFactor: number | undefined;
  readonly retryMaxDelayMs: number | undefined;
  readonly retryJitter: number | undefined;
  readonly after: string | undefined;
  /** No setting, but the template from which the job was created. */
  readonly template: TemplateName | undefined;
}

/** What other versions, of Java's or of ours, have written. It is kept, and never understood. */
export interface UnknownParts {
  /** The texts of entries of the top level, by key. */
  readonly entries: ReadonlyMap<string, string>;
  /** Props that begin as ours do. */
  readonly props: Readonly<Record<string, string>>;
}

/** What could be read of a node, and what is wrong with it: one text per fault. */
export interface ReadConfiguration {
  readonly stored: StoredConfiguration;
  readonly problems: readonly string[];
}

/**
 * Reads the text of a `config` node as Java does: YAML 1.1, or JSON, which is a form of it. Tagged values (`!!...`,
 * such as data sources) are not looked into.
 * @throws {ConfigurationNodeError} with job and line if the text is no YAML mapping, or has a value of the wrong type.
 * @throws {ElasticJob2ConfigurationError} if ElasticJob 2 wrote it.
 * @see ElasticJob, `JobConfigurationPOJO` of every release 3.x
 */
export function parseConfiguration(text: string, jobName: JobName): StoredConfiguration {
  const { stored, problems } = readConfiguration(text, jobName);
  if (problems.length > 0) throw new ConfigurationNodeError(jobName, problems);
  return stored;
}

/**
 * Passes every text that ElasticJob 2 has not written, also one that cannot be read.
 * @throws {ElasticJob2ConfigurationError}
 */
export function assertNotElasticJob2(text: string, jobName: JobName): void {
  try {
    readConfiguration(text, jobName);
  } catch (error) {
    if (error instanceof ElasticJob2ConfigurationError) throw error;
  }
}

/** As `parseConfiguration`, but a wrong value is undefined, and told. */
export function readConfiguration(text: string, jobName: JobName): ReadConfiguration {
  const read = readMapping(text);
  if (read.kind === 'unreadable') throw new ConfigurationNodeError(jobName, [read.problem]);
  const { mapping } = read;
  if (mapping.has('jobClass') || mapping.has('jobType')) throw new ElasticJob2ConfigurationError(jobName);
  const props = mapping.mapping('props');
  const { users, unknown } = propsBesideOurs(props);
  const java = { ...texts(mapping), ...numbers(mapping), ...flags(mapping), ...lists(mapping) };
  const stored: StoredConfiguration = {
    ...java,
    props: users,
    nestjs: nestjsProps(props),
    unknown: { entries: entriesBut([...Object.keys(java), 'props'], mapping), props: unknown },
  };
  return { stored, problems: mapping.problems };
}

function texts(mapping: YamlMapping) {
  return {
    jobName: mapping.text('jobName'),
    cron: mapping.text('cron'),
    timeZone: mapping.text('timeZone'),
    shardingItemParameters: mapping.text('shardingItemParameters'),
    jobParameter: mapping.text('jobParameter'),
    jobShardingStrategyType: mapping.text('jobShardingStrategyType'),
    jobErrorHandlerType: mapping.text('jobErrorHandlerType'),
    jobExecutorThreadPoolSizeProviderType: mapping.text('jobExecutorThreadPoolSizeProviderType'),
    jobExecutorServiceHandlerType: mapping.text('jobExecutorServiceHandlerType'),
    description: mapping.text('description'),
    label: mapping.text('label'),
  };
}

function numbers(mapping: YamlMapping) {
  return {
    shardingTotalCount: mapping.integer('shardingTotalCount'),
    maxTimeDiffSeconds: mapping.integer('maxTimeDiffSeconds'),
    reconcileIntervalMinutes: mapping.integer('reconcileIntervalMinutes'),
  };
}

function flags(mapping: YamlMapping) {
  return {
    failover: mapping.boolean('failover'),
    misfire: mapping.boolean('misfire'),
    monitorExecution: mapping.boolean('monitorExecution'),
    staticSharding: mapping.boolean('staticSharding'),
    disabled: mapping.boolean('disabled'),
    overwrite: mapping.boolean('overwrite'),
  };
}

function lists(mapping: YamlMapping) {
  const extra = mapping.entryText('jobExtraConfigurations')?.value;
  return {
    jobListenerTypes: mapping.texts('jobListenerTypes'),
    jobExtraConfigurations: extra === undefined ? undefined : new HiddenText(extra),
  };
}

function nestjsProps(props: YamlMapping): StoredNestjsProps {
  return {
    clockChange: props.oneOf(NESTJS_PROPS.clockChange, ['auto', 'quartz', 'natural']),
    concurrency: props.integerOr(NESTJS_PROPS.concurrency, [...THREAD_POOL_SIZES, NONE]),
    jobErrorHandlerType: props.text(NESTJS_PROPS.jobErrorHandlerType),
    jobExecutorThreadPoolSizeProviderType: props.text(NESTJS_PROPS.jobExecutorThreadPoolSizeProviderType),
    jobListenerTypes: props.text(NESTJS_PROPS.jobListenerTypes),
    serverRetentionMinutes: props.integer(NESTJS_PROPS.serverRetentionMinutes),
    shardingTimeoutMs: props.integer(NESTJS_PROPS.shardingTimeoutMs),
    strategy: props.text(NESTJS_PROPS.strategy),
    timeZone: props.text(NESTJS_PROPS.timeZone),
    timeoutMs: props.integerOr(NESTJS_PROPS.timeoutMs, [NONE]),
    onHung: props.oneOf(NESTJS_PROPS.onHung, ON_HUNG),
    shutdownGraceMs: props.integer(NESTJS_PROPS.shutdownGraceMs),
    failoverQueueLimit: props.integer(NESTJS_PROPS.failoverQueueLimit),
    maxExecutorFailovers: props.integer(NESTJS_PROPS.maxExecutorFailovers),
    resident: props.boolean(NESTJS_PROPS.resident),
    misfirePolicy: props.oneOf(NESTJS_PROPS.misfirePolicy, MISFIRE_POLICIES),
    misfireLimit: props.integer(NESTJS_PROPS.misfireLimit),
    maxAttempts: props.integer(NESTJS_PROPS.maxAttempts),
    retryDelayMs: props.integer(NESTJS_PROPS.retryDelayMs),
    retryFactor: props.number(NESTJS_PROPS.retryFactor),
    retryMaxDelayMs: props.integer(NESTJS_PROPS.retryMaxDelayMs),
    retryJitter: props.number(NESTJS_PROPS.retryJitter),
    after: props.text(NESTJS_PROPS.after),
    template: props.text(NESTJS_PROPS.template),
  };
}

/** The user's props, and those that only another version knows. */
function propsBesideOurs(props: YamlMapping) {
  const users: [string, string][] = [];
  const unknown: [string, string][] = [];
  for (const key of props.keys) {
    if (OUR_KEYS.has(key)) continue;
    const text = props.looseText(key);
    if (text !== undefined) (key.startsWith(NESTJS_PREFIX) ? unknown : users).push([key, text]);
  }
  return { users: hiddenProps(Object.fromEntries(users)), unknown: hiddenProps(Object.fromEntries(unknown)) };
}

function entriesBut(known: readonly string[], mapping: YamlMapping): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  const isKnown = new Set(known);
  for (const key of mapping.keys) {
    if (isKnown.has(key)) continue;
    if (key === '<<') mapping.refuse(key, 'must be written out: what it merges is not read');
    const entry = mapping.entryText(key);
    if (entry !== undefined) entries.set(key, `${entry.key}:${entry.value}`);
  }
  return entries;
}
