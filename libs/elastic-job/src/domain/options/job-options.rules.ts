import { IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import { CronSchedule } from '../schedule/index.js';
import { findJobNameFault } from './job-name.js';
import type { JobOptions } from './job-options.js';
import { IsReadAs, IsWholeNumber, mustBe, rule, show } from './option-rules.js';
import { parseShardingItemParameters } from './sharding-item-parameters.js';

const BOOLEAN = { message: mustBe('true or false') };
const TEXT = { message: mustBe('a text') };

/** The rules that each setting of a job keeps by itself. Each property holds the setting as it was given. */
export class JobOptionsRules implements Record<keyof JobOptions, unknown> {
  @IsJobName()
  readonly name: unknown = undefined;

  @IsOptional()
  @IsReadAs('a Quartz cron expression such as "0 0 2 * * ?"', (cron) => new CronSchedule(cron, undefined, 'quartz'))
  readonly cron: unknown = undefined;

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

  @IsIn(['quartz', 'natural'], { message: mustBe('"quartz" or "natural"') })
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

  @IsWholeNumber()
  readonly serverRetentionMinutes: unknown = undefined;

  @IsWholeNumber({ from: 1 })
  readonly shardingTimeoutMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  readonly timeoutMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  readonly concurrency: unknown = undefined;
}

const DAILY = '0 0 0 * * ?';

function IsJobName(): PropertyDecorator {
  return rule(
    'isJobName',
    (name) => findJobNameFault(name) === undefined,
    ({ property, value }) => `${property} ${findJobNameFault(value)}, but is ${show(value)}`,
  );
}
