import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../errors.js';
import { createShardingStrategy, type ShardingStrategy } from '../sharding/index.js';
import { failsOver, hasIdleFailover } from './job-configuration.js';
import type { JobOptions } from './job-options.js';
import { resolveJobOptions, type JobOptionsSource } from './resolve-job-options.js';

const minimal: JobOptions = { name: 'settle-orders', cron: '0/5 * * * * ?', shardingTotalCount: 3 };
const source: JobOptionsSource = { place: 'job "settle-orders" (OrderJobs.settle)' };

class ByRegion implements ShardingStrategy {
  readonly type = 'BY_REGION';
  shard = () => new Map();
}

describe('resolveJobOptions', () => {
  it('fills in all defaults for a job of name, cron and count, and freezes the result', () => {
    const configuration = resolveJobOptions(minimal, source);
    expect(configuration).toEqual({
      jobName: 'settle-orders',
      cron: '0/5 * * * * ?',
      timeZone: undefined,
      clockChange: 'auto',
      shardingTotalCount: 3,
      shardingItemParameters: '',
      jobParameter: '',
      strategy: createShardingStrategy('BALANCED'),
      failover: false,
      misfire: true,
      monitorExecution: true,
      disabled: false,
      overwrite: false,
      description: '',
      maxTimeDiffSeconds: -1,
      reconcileIntervalMinutes: 10,
      staticSharding: false,
      label: undefined,
      props: {},
      jobExecutorThreadPoolSizeProviderType: undefined,
      jobErrorHandlerType: undefined,
      jobListenerTypes: [],
      jobExtraConfigurations: undefined,
      serverRetentionMinutes: 1_440,
      shardingTimeoutMs: 30_000,
      timeoutMs: undefined,
      concurrency: undefined,
      onHung: 'wait',
      shutdownGraceMs: 5_000,
      failoverQueueLimit: 10_000,
      maxExecutorFailovers: 3,
      resident: false,
      misfirePolicy: 'once',
      misfireLimit: 100,
      maxAttempts: 1,
      retryDelayMs: 1_000,
      retryFactor: 2,
      retryMaxDelayMs: 60_000,
      retryJitter: 0.5,
      isolation: undefined,
      workerModule: undefined,
      workerExport: 'run',
      after: [],
    });
    expect(configuration).toSatisfy(Object.isFrozen);
  });

  it('takes every option as it is given', () => {
    const given = {
      cron: '0 0 2 ? * MON-FRI',
      timeZone: 'Asia/Shanghai',
      clockChange: 'quartz',
      shardingTotalCount: 2,
      shardingItemParameters: '0=Beijing, 1 = Shanghai',
      jobParameter: 'x=1',
      failover: true,
      misfire: false,
      monitorExecution: true,
      disabled: true,
      overwrite: true,
      description: 'settles\nthe orders',
      maxTimeDiffSeconds: 5,
      reconcileIntervalMinutes: 0,
      shardingTimeoutMs: 1,
      timeoutMs: 2,
      concurrency: 3,
      staticSharding: true,
      label: 'nightly',
      props: { 'streaming.process': 'true' },
      jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
      jobErrorHandlerType: 'THROW',
      jobListenerTypes: ['audit'],
      serverRetentionMinutes: 0,
      failoverQueueLimit: 4,
      maxExecutorFailovers: 0,
      misfirePolicy: 'skip',
      misfireLimit: 7,
      maxAttempts: 3,
      retryDelayMs: 10,
      retryFactor: 1.5,
      retryMaxDelayMs: 100,
      retryJitter: 1,
      after: [],
    } as const;
    expect(resolveJobOptions({ ...given, name: 'OrderJobs.nightly' }, source)).toMatchObject({
      ...given,
      jobName: 'OrderJobs.nightly',
    });
  });

  it('treats undefined and null options as not given', () => {
    const blank: object = { misfire: undefined, description: null, timeoutMs: null };
    expect(resolveJobOptions({ ...minimal, ...blank }, source)).toEqual(resolveJobOptions(minimal, source));
  });

  it('translates a unix expression to Quartz, and drops the dialect', () => {
    const unix = { ...minimal, cron: '*/5 * * * 1-5', cronDialect: 'unix' } as const;
    expect(resolveJobOptions(unix, source)).toMatchObject({ cron: '0 */5 * ? * MON-FRI' });
    expect(resolveJobOptions(unix, source)).not.toHaveProperty('cronDialect');
  });

  it('uses the dialect of the source if the options name none', () => {
    const unix = { ...source, cronDialect: 'unix' } as const;
    expect(resolveJobOptions({ ...minimal, cron: '0 2 * * *' }, unix).cron).toBe('0 0 2 * * ?');
    expect(resolveJobOptions({ ...minimal, cronDialect: 'quartz' }, unix).cron).toBe(minimal.cron);
    for (const cron of [undefined, '']) expect(resolveJobOptions({ ...minimal, cron }, unix).cron).toBeUndefined();
  });

  it.each([
    [{ cron: '0 0 1 * 1', cronDialect: 'unix' }, /^cron: .* is restricted beside the day of month/],
    [
      { cron: '*/5 * * * *' },
      /^cron: .* The dialect is 'quartz', the default\. As a unix .*"0 \*\/5 \* \* \* \?": .* in code .*'unix'$/,
    ],
    [
      { cron: '*/5 * * * *', cronDialect: 'quartz' },
      /^cron: .* The dialect is 'quartz', which the job names\. As a unix/,
    ],
    [
      { cron: '0/5 * * * * ?', cronDialect: 'unix' },
      /^cron: .* The dialect is 'unix', which the job names\. It is right in Quartz's: .* 'quartz' for this job$/,
    ],
    [
      { cron: '61 * * * *', cronDialect: 'unix' },
      /^cron: .*"61" is not 0 to 59\. The dialect is 'unix', which the job names$/,
    ],
    [{ cronDialect: 'crontab' }, /^cronDialect must be "quartz" or "unix", but is "crontab"$/],
  ])('says in the error what would be right instead of %j', (wrong, problem) => {
    const options: object = { ...minimal, ...wrong };
    expect(() => resolveJobOptions({ ...minimal, ...options }, source)).toThrow(
      expect.objectContaining({ problems: [expect.stringMatching(problem)] }),
    );
  });

  it('names the module as the source of a dialect that its expression is not written in', () => {
    const resolve = () => resolveJobOptions({ ...minimal, cron: '0/5 * * * * ?' }, { ...source, cronDialect: 'unix' });
    const problem = /^cron: .* The dialect is 'unix', which the module names\. It is right in Quartz's: /;
    expect(resolve).toThrow(expect.objectContaining({ problems: [expect.stringMatching(problem)] }));
  });

  it.each([
    [{ misfire: true }, { misfire: true, misfirePolicy: 'once' }],
    [{ misfire: false }, { misfire: false, misfirePolicy: 'skip' }],
    [{ misfirePolicy: 'skip' }, { misfire: false, misfirePolicy: 'skip' }],
    [{ misfirePolicy: 'once' }, { misfire: true, misfirePolicy: 'once' }],
    [{ misfirePolicy: 'all' }, { misfire: true, misfirePolicy: 'all' }],
    [
      { misfire: true, misfirePolicy: 'all' },
      { misfire: true, misfirePolicy: 'all' },
    ],
  ] as const)('keeps the switch that Java reads in line with the misfire policy: %o', (given, expected) => {
    expect(resolveJobOptions({ ...minimal, ...given }, source)).toMatchObject(expected);
  });

  it('needs the place that its errors name', () => {
    expect(() => resolveJobOptions(minimal, JSON.parse('{}'))).toThrow(
      'resolveJobOptions: place must be a text, but is undefined',
    );
  });

  it('names the place and each wrong field with its value in one error', () => {
    const wrong = { ...minimal, cron: '0 0 * *', shardingTotalCount: 0, strategy: 'BY_REGION' };
    const resolve = () => resolveJobOptions(wrong, source);
    expect(resolve).toThrow(ConfigurationError);
    expect(resolve).toThrow(
      expect.objectContaining({
        place: 'job "settle-orders" (OrderJobs.settle)',
        problems: [
          expect.stringMatching(/^cron: .*"0 0 \* \*"/),
          'shardingTotalCount must be a whole number from 1 to 2147483647, but is 0',
          'strategy: There is no sharding strategy "BY_REGION"; known are BALANCED, AVG_ALLOCATION, ODEVITY, ' +
            'ROUND_ROBIN, SINGLE_SHARDING_BALANCE, STICKY.',
        ],
      }),
    );
  });

  it('refuses a job after others that has a schedule, no marks or no misfires', () => {
    const wrong = { ...minimal, after: 'import', misfire: false, monitorExecution: false };
    expect(() => resolveJobOptions(wrong, source)).toThrow(
      expect.objectContaining({
        problems: [
          'cron must not be given with after: ["import"], but is "0/5 * * * * ?"',
          'monitorExecution must be true with after: ["import"], but is false',
          'misfire must be true with after: ["import"], but is false: a start that meets busy items waits for them',
        ],
      }),
    );
  });

  it('lists the parents of a job without doubles', () => {
    const options = { ...minimal, cron: undefined, after: ['import', 'check', 'import'] };
    expect(resolveJobOptions(options, source).after).toEqual(['import', 'check']);
    expect(resolveJobOptions({ ...options, after: 'import' }, source).after).toEqual(['import']);
  });

  it('refuses a resident job that has a schedule, a limit or no marks', () => {
    const wrong = { ...minimal, resident: true, concurrency: 1, monitorExecution: false };
    expect(() => resolveJobOptions(wrong, source)).toThrow(
      expect.objectContaining({
        problems: [
          'cron must not be given with resident: true, but is "0/5 * * * * ?"',
          'concurrency must not be given with resident: true, but is 1: all items run at all times',
          'monitorExecution must be true with resident: true, but is false',
        ],
      }),
    );
  });

  it('refuses failover without marks and names both remedies, but accepts it from the registry', () => {
    const options = { ...minimal, failover: true, monitorExecution: false };

    expect(() => resolveJobOptions(options, source)).toThrow(
      'failover must not be true with monitorExecution: false, which leaves unknown what a crashed instance ran; ' +
        'leave monitorExecution out, or set failover to false',
    );
    const resolved = resolveJobOptions(options, { ...source, idleFailover: true });
    expect([resolved.failover, failsOver(resolved), hasIdleFailover(resolved)]).toEqual([true, false, true]);
  });

  const faults: [keyof JobOptions, unknown, string, Partial<JobOptions>?][] = [
    ['cron', 5, 'cron must be a Quartz cron expression such as "0 0 2 * * ?", but is 5'],
    ['failoverQueueLimit', 0, 'failoverQueueLimit must be a whole number from 1 to 2147483647, but is 0'],
    ['maxExecutorFailovers', -1, 'maxExecutorFailovers must be a whole number from 0 to 2147483647, but is -1'],
    ['resident', 'yes', 'resident must be true or false, but is "yes"'],
    ['shardingTotalCount', 1.5, 'a whole number from 1 to 2147483647, but is 1.5'],
    ['shardingTotalCount', '3', 'a whole number from 1 to 2147483647, but is "3"'],
    ['shardingTotalCount', 2 ** 31, 'a whole number from 1 to 2147483647, but is 2147483648'],
    ['shardingItemParameters', '0=a,0=b', '"0=a,0=b" must name item 0 only once'],
    ['shardingItemParameters', '0=a,3=d', 'must name items from 0 to 2 (shardingTotalCount 3), but names 3'],
    ['shardingItemParameters', '-1=a', 'must be entries like "0=Beijing", but one is "-1=a"'],
    ['timeZone', 'Europe/Berln', '"Europe/Berln"'],
    ['clockChange', 'cron', 'clockChange must be "auto", "quartz" or "natural", but is "cron"'],
    ['failover', 'yes', 'failover must be true or false, but is "yes"'],
    ['description', 5, 'description must be a text, but is 5'],
    ['staticSharding', 1, 'staticSharding must be true or false, but is 1'],
    ['label', 5, 'label must be a text, but is 5'],
    ['props', ['a'], 'props must be texts by name, such as { "streaming.process": "true" }'],
    ['props', { 'email.port': 25 }, 'props must be texts by name, but "email.port" is a number'],
    ['props', { 'nestjs.timeoutMs': '1' }, 'props must not name "nestjs.timeoutMs": what begins with "nestjs."'],
    ['jobErrorHandlerType', 5, 'jobErrorHandlerType must be a text, but is 5'],
    ['jobExecutorThreadPoolSizeProviderType', 5, 'jobExecutorThreadPoolSizeProviderType must be a text, but is 5'],
    ['jobListenerTypes', 'audit', 'jobListenerTypes must be a list of types without commas, but is "audit"'],
    ['jobListenerTypes', ['a,b'], 'jobListenerTypes must be a list of types without commas, but is ["a,b"]'],
    ['jobExtraConfigurations', 5, 'jobExtraConfigurations must be a YAML list as ElasticJob writes it'],
    ['jobExtraConfigurations', '- a\nfailover: true', 'jobExtraConfigurations must be a YAML list'],
    ['jobExtraConfigurations', 'tracing\n- a', 'jobExtraConfigurations must be a YAML list'],
    ['jobListenerTypes', [5], 'jobListenerTypes must be a list of types without commas, but is [5]'],
    ['className', 5, 'className must be a class name such as "org.example.OrderJob", but is 5'],
    ['className', 'Order Job', 'className must be a class name such as "org.example.OrderJob", but is "Order Job"'],
    ['className', ' OrderJob', 'className must be a class name'],
    ['className', 'o'.repeat(513), 'className must be a class name'],
    ['props', 'a=b', 'props must be texts by name, such as { "streaming.process": "true" }, but is string'],
    ['serverRetentionMinutes', -1, 'serverRetentionMinutes must be a whole number from 0 to 2147483647, but is -1'],
    ['timeoutMs', 0, 'timeoutMs must be a whole number from 1 to 2147483647, but is 0'],
    ['onHung', 'abandon', 'onHung must be "wait", "release" or "terminate", but is "abandon"'],
    ['isolation', 'process', 'isolation must be "worker-thread", but is "process"', { workerModule: 'file:///a.js' }],
    ['workerModule', './a.js', 'workerModule must be the URL of a file', { isolation: 'worker-thread' }],
    ['workerModule', 5, 'workerModule must be the URL of a file', { isolation: 'worker-thread' }],
    ['workerModule', 'https://h/a.js', 'workerModule must be the URL of a file', { isolation: 'worker-thread' }],
    ['workerModule', 'file://[/a.js', 'workerModule must be the URL of a file', { isolation: 'worker-thread' }],
    ['workerModule', undefined, 'workerModule must be given with isolation', { isolation: 'worker-thread' }],
    ['workerModule', 'file:///a.js', 'workerModule is given ("file:///a.js"), but no isolation'],
    [
      'workerExport',
      5,
      'workerExport must be the name of an exported function, but is 5',
      { isolation: 'worker-thread', workerModule: new URL('file:///a.js') },
    ],
    ['misfire', 'yes', 'misfire must be true or false, but is "yes"', { misfirePolicy: 'skip' }],
    ['misfirePolicy', 'twice', 'misfirePolicy must be "skip", "once" or "all", but is "twice"', { misfire: false }],
    ['after', ['a,b'], 'after must name jobs, without commas, but is ["a,b"]', { cron: '' }],
    ['after', 5, 'after must name jobs, without commas, but is [5]', { cron: '' }],
    ['after', 'settle-orders', 'after must name other jobs, but is ["settle-orders"]', { cron: '' }],
    ['misfireLimit', 0, 'misfireLimit must be a whole number from 1 to 1000, but is 0'],
    [
      'misfirePolicy',
      'skip',
      'misfirePolicy "skip" contradicts misfire true; leave misfire out, or set it to false',
      { misfire: true },
    ],
    [
      'misfirePolicy',
      'all',
      'misfirePolicy "all" contradicts misfire false; leave misfire out, or set it to true',
      { misfire: false },
    ],
    ['concurrency', -1, 'must be "CPU", "SINGLE_THREAD" or a whole number from 1 to 2147483647, but is -1'],
    ['concurrency', 'GPU', 'must be "CPU", "SINGLE_THREAD" or a whole number from 1 to 2147483647, but is "GPU"'],
    ['maxAttempts', 0, 'maxAttempts must be a whole number from 1 to 2147483647, but is 0'],
    ['retryDelayMs', -1, 'retryDelayMs must be a whole number from 0 to 2147483647, but is -1'],
    ['retryFactor', 0.5, 'retryFactor must be a number from 1 to 100, but is 0.5'],
    ['retryMaxDelayMs', '1', 'retryMaxDelayMs must be a whole number from 0 to 2147483647, but is "1"'],
    ['retryJitter', Number.NaN, 'retryJitter must be a number from 0 to 1, but is NaN'],
    ['shardingTimeoutMs', Number.NaN, 'shardingTimeoutMs must be a whole number from 1 to 2147483647, but is NaN'],
    ['strategy', 'STICKIER', 'no sharding strategy "STICKIER"; known are BALANCED, AVG_ALLOCATION, ODEVITY'],
    ['strategy', { type: '', shard: () => new Map() }, 'or have a type (a text) and shard (a function)'],
    ['strategy', { type: 5, shard: () => new Map() }, 'or have a type (a text) and shard (a function)'],
    ['strategy', createShardingStrategy('SINGLE_SHARDING_BALANCE'), 'needs a shardingTotalCount of 1, but that is 3'],
    [
      'shardingItemParameters',
      '0=a,1=b',
      'must name items from 0 to 0 (shardingTotalCount 1), but names 1',
      { shardingTotalCount: 1 },
    ],
    ['resident', true, 'resident must not be true with after: ["import"]', { cron: '', after: 'import' }],
    [
      'monitorExecution',
      false,
      'monitorExecution must be true with after: ["import"], but is false',
      { cron: '', after: 'import', failover: true },
    ],
    ['strategy', { type: 'X' }, 'or have a type (a text) and shard (a function), but is an object (type)'],
    ['strategy', { type: 'odevity', shard: () => new Map() }, 'a type of its own instead of ElasticJob\'s "odevity"'],
  ];
  it.each(faults)('refuses %s %o by name: %s', (option, value, problem, beside = {}) => {
    const resolve = () => resolveJobOptions({ ...minimal, ...beside, [option]: value }, source);
    expect(resolve).toThrow(ConfigurationError);
    expect(resolve).toThrow(expect.objectContaining({ problems: [expect.stringContaining(problem)] }));
    expect(resolve).toThrow(
      expect.objectContaining({ problems: [expect.stringMatching(new RegExp(`^${option}\\b`))] }),
    );
  });

  it.each<Partial<JobOptions>>([
    { className: 'o'.repeat(512) },
    { jobExtraConfigurations: '- a\n  b: c\n- d\n' },
    { workerModule: 'file:///a.js', isolation: 'worker-thread' },
  ])('accepts %o', (given) => {
    expect(() => resolveJobOptions({ ...minimal, ...given }, source)).not.toThrow();
  });

  it.each([
    ['faliover', 'faliover is not an option of a job; did you mean failover?'],
    ['ShardingTotalcount', 'did you mean shardingTotalCount?'],
    ['retries', 'known are name, cron, cronDialect, className,'],
  ])('refuses the unknown option %s, and suggests existing ones', (option, problem) => {
    const resolve = () => resolveJobOptions({ ...minimal, [option]: true }, source);
    expect(resolve).toThrow(expect.objectContaining({ problems: [expect.stringContaining(problem)] }));
  });

  it.each([undefined, ''])('takes a job with the cron %j for a one-off job', (cron) => {
    expect(resolveJobOptions({ ...minimal, cron }, source).cron).toBeUndefined();
  });

  it('refuses SINGLE_SHARDING_BALANCE for several items', () => {
    const resolve = () => resolveJobOptions({ ...minimal, strategy: 'SINGLE_SHARDING_BALANCE' }, source);
    const problem = 'strategy "SINGLE_SHARDING_BALANCE" needs a shardingTotalCount of 1, but that is 3';
    expect(resolve).toThrow(expect.objectContaining({ problems: expect.arrayContaining([problem]) }));
  });

  it('fault 25: shows no password of tracing settings in the log', () => {
    const jobExtraConfigurations = '- !!com.acme.Tracing\n  password: secret';
    const configuration = resolveJobOptions({ ...minimal, jobExtraConfigurations }, source);
    expect(configuration.jobExtraConfigurations!.reveal()).toBe(jobExtraConfigurations);
    const hidden = String(configuration.jobExtraConfigurations);
    for (const text of [inspect(configuration), JSON.stringify(configuration), hidden]) {
      expect(text).not.toContain('secret');
    }
  });

  it('names what the constructor of a strategy has thrown, which is the cause of the error', () => {
    const error = new Error('no regions');
    class Broken {
      readonly type = 'BROKEN';

      constructor() {
        throw error;
      }

      shard = () => new Map<never, never>();
    }

    expect(() => resolveJobOptions({ ...minimal, strategy: Broken }, source)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('strategy: no regions'), cause: error }),
    );
  });

  it('uses the own strategy that is given by name, as an object or as a class', () => {
    const byRegion = new ByRegion();
    const resolve = (strategy: JobOptions['strategy']) =>
      resolveJobOptions({ ...minimal, strategy }, { ...source, strategies: [byRegion] }).strategy;
    expect(resolve('BY_REGION')).toBe(byRegion);
    expect(resolve(byRegion)).toBe(byRegion);
    expect(resolve(ByRegion)).toBeInstanceOf(ByRegion);
    expect(resolve('round_robin')).toBe(createShardingStrategy('ROUND_ROBIN'));
  });

  it('keeps parameters beyond the total count if the source allows surplus ones', () => {
    const shrunk = { ...minimal, shardingTotalCount: 1, shardingItemParameters: '0=a,1=b' };
    expect(resolveJobOptions(shrunk, { ...source, surplusItemParameters: true })).toMatchObject({
      shardingItemParameters: '0=a,1=b',
    });
  });
});
