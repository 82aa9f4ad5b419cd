import { IsBoolean, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { CronSchedule } from '../schedule/index.js';
import { THREAD_POOL_SIZES } from './concurrency-option.js';
import { CRON_DIALECTS, readQuartz } from './cron-dialect.js';
import { HiddenText } from './hidden-text.js';
import { findJobNameFault } from '../cluster/index.js';
import type { JobOptions } from './job-options.js';
import { ON_HUNG } from './on-hung-option.js';
import { GREATEST_MISFIRE_LIMIT, MISFIRE_POLICIES } from './misfire-policy.js';
import { GREATEST_INT, IsNumber, IsReadAs, IsWholeNumber, mustBe, rule, show } from './option-rules.js';
import { parseShardingItemParameters } from './sharding-item-parameters.js';

const BOOLEAN = { message: mustBe('true or false') };
const TEXT = { message: mustBe('a text') };

/** The rules that each setting of a job keeps by itself. Each property holds the setting as it was given. */
export class JobOptionsRules implements Record<keyof JobOptions, unknown> {
  @IsJobName()
  readonly name: unknown = undefined;

  @IsOptional()
  @IsReadAs('a Quartz cron expression such as "0 0 2 * * ?"', readQuartz)
  readonly cron: unknown = undefined;

  @IsIn(CRON_DIALECTS, { message: mustBe('"quartz" or "unix"') })
  readonly cronDialect: unknown = undefined;

  @IsOptional()
  @Matches(/^\S{1,512}$/, { message: mustBe('a class name such as "org.example.OrderJob"') })
  readonly className: unknown = undefined;

  @IsWholeNumber({ from: 1 })
  readonly shardingTotalCount: unknown = undefined;

  @IsReadAs('a text such as "0=Beijing,1=Shanghai"', parseShardingItemParameters)
  readonly shardingItemParameters: unknown = undefined;

  @IsString(TEXT)
  readonly jobParameter: unknown = undefined;

  /** Judged by `resolveStrategy`, since that needs the user's own strategies. */
  readonly strategy: unknown = undefined;

  @IsOptional()
  @IsReadAs('an IANA name such as "Europe/Berlin", or "GMT+8:00"', (zone) => new CronSchedule(DAILY, zone, 'quartz'))
  readonly timeZone: unknown = undefined;

  @IsIn(['auto', 'quartz', 'natural'], { message: mustBe('"auto", "quartz" or "natural"') })
  readonly clockChange: unknown = undefined;

  @IsBoolean(BOOLEAN)
  readonly failover: unknown = undefined;

  @IsBoolean(BOOLEAN)
  readonly misfire: unknown = undefined;

  @IsBoolean(BOOLEAN)
  readonly monitorExecution: unknown = undefined;

  @IsBoolean(BOOLEAN)
  readonly disabled: unknown = undefined;

  @IsBoolean(BOOLEAN)
  readonly overwrite: unknown = undefined;

  @IsString(TEXT)
  readonly description: unknown = undefined;

  @IsWholeNumber()
  readonly maxTimeDiffSeconds: unknown = undefined;

  @IsWholeNumber()
  readonly reconcileIntervalMinutes: unknown = undefined;

  @IsBoolean(BOOLEAN)
  readonly staticSharding: unknown = undefined;

  @IsOptional()
  @IsString(TEXT)
  readonly label: unknown = undefined;

  @IsProps()
  readonly props: unknown = undefined;

  @IsOptional()
  @IsString(TEXT)
  readonly jobExecutorThreadPoolSizeProviderType: unknown = undefined;

  @IsOptional()
  @IsString(TEXT)
  readonly jobErrorHandlerType: unknown = undefined;

  @IsTypeNames()
  readonly jobListenerTypes: unknown = undefined;

  @IsOptional()
  @IsYamlList()
  readonly jobExtraConfigurations: unknown = undefined;

  @IsWholeNumber({ from: 0 })
  readonly serverRetentionMinutes: unknown = undefined;

  @IsWholeNumber({ from: 1 })
  readonly shardingTimeoutMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  readonly timeoutMs: unknown = undefined;

  @IsOptional()
  @IsConcurrency()
  readonly concurrency: unknown = undefined;

  @IsIn(ON_HUNG, { message: mustBe('"wait", "release" or "terminate"') })
  readonly onHung: unknown = undefined;
  @IsWholeNumber({ from: 0 })
  readonly shutdownGraceMs: unknown = undefined;
  @IsWholeNumber({ from: 1 })
  readonly failoverQueueLimit: unknown = undefined;

  @IsWholeNumber({ from: 0 })
  readonly maxExecutorFailovers: unknown = undefined;

  @IsBoolean(BOOLEAN)
  readonly resident: unknown = undefined;
  @IsIn(MISFIRE_POLICIES, { message: mustBe('"skip", "once" or "all"') })
  readonly misfirePolicy: unknown = undefined;

  @IsWholeNumber({ from: 1, to: GREATEST_MISFIRE_LIMIT })
  readonly misfireLimit: unknown = undefined;

  @IsWholeNumber({ from: 1 })
  readonly maxAttempts: unknown = undefined;

  @IsWholeNumber({ from: 0 })
  readonly retryDelayMs: unknown = undefined;

  @IsNumber({ from: 1, to: 100 })
  readonly retryFactor: unknown = undefined;

  @IsWholeNumber({ from: 0 })
  readonly retryMaxDelayMs: unknown = undefined;

  @IsNumber({ from: 0, to: 1 })
  readonly retryJitter: unknown = undefined;

  @IsOptional()
  @IsIn(['worker-thread'], { message: mustBe('"worker-thread"') })
  readonly isolation: unknown = undefined;

  @IsOptional()
  @IsFileUrl()
  readonly workerModule: unknown = undefined;

  @IsReadAs('the name of an exported function', (name) => name.length > 0)
  readonly workerExport: unknown = undefined;

  @IsParents()
  readonly after: unknown = undefined;
}

const DAILY = '0 0 0 * * ?';
const RESERVED_PROPS = 'nestjs.';

function IsJobName(): PropertyDecorator {
  return rule(
    'isJobName',
    (name) => findJobNameFault(name) === undefined,
    ({ property, value }) => `${property} ${findJobNameFault(value)}, but is ${show(value)}`,
  );
}

function IsFileUrl(): PropertyDecorator {
  return rule(
    'isFileUrl',
    (value) => typeof value === 'string' && value.startsWith('file:') && URL.canParse(value),
    mustBe("the URL of a file, such as new URL('./settle.worker.js', import.meta.url)"),
  );
}

function IsConcurrency(): PropertyDecorator {
  const sizes: readonly unknown[] = THREAD_POOL_SIZES;
  return rule(
    'isConcurrency',
    (value) =>
      sizes.includes(value) || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= GREATEST_INT),
    mustBe(`"CPU", "SINGLE_THREAD" or a whole number from 1 to ${GREATEST_INT}`),
  );
}

/** Texts by name. A value may be a secret and is not echoed. */
function IsProps(): PropertyDecorator {
  return rule(
    'isProps',
    (props) => findPropsFault(props) === undefined,
    ({ property, value }) => `${property} ${findPropsFault(value)}`,
  );
}

function findPropsFault(props: unknown): string | undefined {
  if (typeof props !== 'object' || props === null || Array.isArray(props)) {
    return `must be texts by name, such as { "streaming.process": "true" }, but is ${show(props)}`;
  }
  const names = Object.keys(props);
  const reserved = names.find((name) => name.startsWith(RESERVED_PROPS));
  if (reserved !== undefined) {
    return `must not name "${reserved}": what begins with "${RESERVED_PROPS}" are options of their own`;
  }
  const wrong = names.find((name) => typeof Reflect.get(props, name) !== 'string');
  return wrong === undefined
    ? undefined
    : `must be texts by name, but "${wrong}" is a ${typeof Reflect.get(props, wrong)}`;
}

/** Names of jobs. A comma separates them in the registry. */
function IsParents(): PropertyDecorator {
  const isParent = (name: unknown) => findJobNameFault(name) === undefined && !String(name).includes(',');
  return rule(
    'isParents',
    (names) => Array.isArray(names) && names.every(isParent),
    ({ property, value }) =>
      `${property} must name jobs, without commas, but is ${Array.isArray(value) ? `[${value.map(show).join(', ')}]` : show(value)}`,
  );
}

/** A comma separates them in the registry. */
function IsTypeNames(): PropertyDecorator {
  return rule(
    'isTypeNames',
    (types) => Array.isArray(types) && types.every((type) => typeof type === 'string' && /^[^,]+$/.test(type)),
    ({ property, value }) =>
      `${property} must be a list of types without commas, but is ${Array.isArray(value) ? `[${value.map(show).join(', ')}]` : show(value)}`,
  );
}

/** Not mustBe: a secret is not echoed. What has been read from a registry is taken as it was. */
function IsYamlList(): PropertyDecorator {
  return rule(
    'isYamlList',
    (value) => value instanceof HiddenText || (typeof value === 'string' && /^- .*(?:\n(?:- | |$).*)*$/.test(value)),
    ({ property }) => `${property} must be a YAML list as ElasticJob writes it, with "- " before each element`,
  );
}
