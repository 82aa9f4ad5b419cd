import { describe, expect, it } from 'vitest';
import type { ShardingStrategy } from '../sharding/index.js';
import { findUnshareable, isJavaErrorHandlerType, isJavaThreadPoolSizeType, isJavaTimeZone } from './beside-java.js';
import type { JobOptions } from './job-options.js';
import { resolveJobOptions } from './resolve-job-options.js';

const byRegion: ShardingStrategy = { type: 'BY_REGION', shard: () => new Map() };

describe('findUnshareable', () => {
  it.each([
    {},
    { timeZone: 'GMT+8:00' },
    { timeZone: 'GMT', clockChange: 'quartz' },
    { strategy: 'ROTATE_SERVER_BY_NAME' },
    { failoverQueueLimit: 1, maxExecutorFailovers: 0 },
    { misfirePolicy: 'skip' },
    { misfirePolicy: 'once' },
    { timeoutMs: 5, concurrency: 1, shardingTimeoutMs: 1, serverRetentionMinutes: 0, jobErrorHandlerType: 'PAGER' },
  ] as const)('finds nothing in settings by which Java decides alike: %j', (options) => {
    expect(findUnshareable(configurationOf(options))).toEqual([]);
  });

  it('names each zone, clock rule, strategy and misfire policy that Java lacks, with its remedy', () => {
    const options = {
      timeZone: 'Europe/Berlin',
      clockChange: 'natural',
      strategy: byRegion,
      misfirePolicy: 'all',
    } as const;
    expect(findUnshareable(configurationOf(options))).toEqual([
      'timeZone "Europe/Berlin" is a zone that Java cannot read; use an offset such as "GMT+8:00", or none',
      'clockChange "natural" is not the rule of Java; use "auto" or "quartz"',
      expect.stringMatching(/^strategy "BY_REGION" is one that Java lacks; use BALANCED, AVG_ALLOCATION, /),
      'misfirePolicy "all" is more than Java catches up on, and it leaves no record; use "once" or "skip"',
    ]);
  });

  it('reports a resident job', () => {
    expect(findUnshareable(configurationOf({ resident: true }))).toEqual([expect.stringMatching(/^resident is /)]);
  });

  it('reports a job that is started after others', () => {
    const configuration = configurationOf({ after: ['import', 'check'], cron: undefined });
    expect(findUnshareable(configuration)).toEqual([expect.stringMatching(/^after "import", "check" is /)]);
  });

  it.each([
    ['BALANCED', 0],
    ['STICKY', 1],
    ['SINGLE_SHARDING_BALANCE', 0],
  ])('judges the strategy %s by whether Java has it or another one for it (faults: %i)', (type, faults) => {
    const configuration = { ...configurationOf({}), strategy: { ...byRegion, type } };
    expect(findUnshareable(configuration)).toHaveLength(faults);
  });
});

function configurationOf(options: Partial<JobOptions>) {
  return resolveJobOptions({ name: 'myJob', shardingTotalCount: 1, ...options }, { place: 'spec' });
}

describe('names that every Java instance knows', () => {
  it.each(['LOG', 'IGNORE', 'THROW', 'EMAIL', 'WECHAT', 'DINGTALK', 'log'])('are error handlers such as %s', (type) => {
    expect(isJavaErrorHandlerType(type)).toBe(true);
  });

  it.each(['CPU', 'SINGLE_THREAD', 'cpu'])('are thread pool sizes such as %s', (type) => {
    expect(isJavaThreadPoolSizeType(type)).toBe(true);
  });

  it('are not those that only an instance of ours has', () => {
    expect([isJavaErrorHandlerType('pager'), isJavaThreadPoolSizeType('4')]).toEqual([false, false]);
  });

  it('are time zones by their distance from GMT', () => {
    expect([isJavaTimeZone('GMT+08:00'), isJavaTimeZone('Europe/Berlin')]).toEqual([true, false]);
  });
});
