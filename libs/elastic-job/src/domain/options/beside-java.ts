import { isShareableStrategyType } from '../sharding/index.js';
import type { JobConfiguration } from './job-configuration.js';
import { THREAD_POOL_SIZES } from './job-options.js';

/**
 * Finds the settings that Java instances of the job would not follow when they decide who runs an item, and when. One
 * text each, with value and remedy; empty if the job can be shared.
 *
 * Limits within one instance (`timeoutMs`, `concurrency`, `shardingTimeoutMs`, `serverRetentionMinutes`, `onHung`,
 * `failoverQueueLimit`, `maxExecutorFailovers`, `maxAttempts` and the retries' pauses) are not among them: Java ignores
 * them, but no item is lost or run twice for it.
 */
export function findUnshareable(
  configuration: Pick<JobConfiguration, 'after' | 'clockChange' | 'misfirePolicy' | 'resident' | 'timeZone'> & {
    readonly strategy: Pick<JobConfiguration['strategy'], 'type'>;
  },
): string[] {
  const { after, clockChange, misfirePolicy, resident, strategy, timeZone } = configuration;
  const settings: string[] = [];
  if (timeZone !== undefined && !isJavaTimeZone(timeZone)) {
    settings.push(`timeZone "${timeZone}" is a zone that Java cannot read; use an offset such as "GMT+8:00", or none`);
  }
  if (clockChange === 'natural') {
    settings.push('clockChange "natural" is not the rule of Java; use "auto" or "quartz"');
  }
  if (!isShareableStrategyType(strategy.type)) {
    settings.push(
      `strategy "${strategy.type}" is one that Java lacks; use BALANCED, AVG_ALLOCATION, ODEVITY, ` +
        'ROUND_ROBIN or, with one item, SINGLE_SHARDING_BALANCE',
    );
  }
  if (resident) {
    settings.push('resident is a kind of job that Java lacks: it would run the items once, at a trigger; use false');
  }
  if (misfirePolicy === 'all') {
    settings.push('misfirePolicy "all" is more than Java catches up on, and it leaves no record; use "once" or "skip"');
  }
  if (after.length > 0) {
    settings.push(
      `after "${after.join('", "')}" is unknown to Java, which would run the items at a trigger only; use a cron`,
    );
  }
  return settings;
}

const ERROR_HANDLERS = ['LOG', 'IGNORE', 'THROW', 'EMAIL', 'WECHAT', 'DINGTALK'];

/** True if every Java instance has this error handler. @see ElasticJob, `JobErrorHandler` */
export function isJavaErrorHandlerType(type: string): boolean {
  return ERROR_HANDLERS.includes(type.toUpperCase());
}

/** True if every Java instance has this thread pool size. @see ElasticJob, `JobExecutorThreadPoolSizeProvider` */
export function isJavaThreadPoolSizeType(type: string): boolean {
  return THREAD_POOL_SIZES.some((size) => size === type.toUpperCase());
}

/** True if Java reads the zone as well; it accepts only names that begin like this. */
export function isJavaTimeZone(timeZone: string): boolean {
  return timeZone.startsWith('GMT');
}
