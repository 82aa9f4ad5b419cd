import { describe, expect, it } from 'vitest';
import {
  commonNames,
  defaultsOfTemplate,
  findDefaultsFaults,
  jobDefaults,
  overDefaults,
  withDefaults,
} from './job-defaults.js';
import type { JobDefaults, JobOptions } from './job-options.js';

const JOB: JobOptions = { name: 'settle-orders', shardingTotalCount: 2 };

describe('the defaults of a module', () => {
  it('stand below what a job says itself, and above those of the library', () => {
    const own: JobOptions = Object.assign({}, JOB, { failover: false, label: null });
    const defaults: JobDefaults = { failover: true, label: 'orders', maxAttempts: 3 };

    expect(overDefaults(own, { defaults })).toEqual({ ...JOB, failover: false, label: 'orders', maxAttempts: 3 });
    expect(withDefaults(overDefaults(own, { defaults }))).toMatchObject({ maxAttempts: 3, retryFactor: 2 });
    expect(overDefaults(JOB, {})).toEqual(JOB);
  });

  it.each<[string, Partial<JobOptions>, JobDefaults]>([
    ['a policy of its own that catches up', { misfirePolicy: 'all' }, { misfire: false }],
    ['parents, which need misfires', { after: ['import-orders'] }, { misfire: false }],
    ['parents, which need marks', { after: ['import-orders'] }, { monitorExecution: false }],
    ['a resident, which needs marks', { resident: true }, { monitorExecution: false }],
    ['a resident, whose items all run', { resident: true }, { concurrency: 2 }],
    ['a resident, whose runs have no end', { resident: true }, { timeoutMs: 5_000 }],
    ['several items', {}, { strategy: 'SINGLE_SHARDING_BALANCE' }],
    ["a thread pool in Java's words", { jobExecutorThreadPoolSizeProviderType: 'CPU' }, { concurrency: 2 }],
    ['no thread that could be terminated', {}, { onHung: 'terminate' }],
  ])('leave a job with %s without the one that does not go with it', (_what, own, unfit) => {
    const options = { ...JOB, ...own };

    expect(overDefaults(options, { defaults: { ...unfit, label: 'orders' } })).toEqual({ ...options, label: 'orders' });
  });

  it.each<[Partial<JobOptions>, JobDefaults]>([
    [{ misfirePolicy: 'skip' }, { misfire: false }],
    [{}, { concurrency: 2, timeoutMs: 5_000, onHung: 'release' }],
    [{ resident: false }, { timeoutMs: 5_000 }],
    [{ isolation: 'worker-thread', workerModule: new URL('file:///a.js') }, { onHung: 'terminate' }],
    [{ shardingTotalCount: 1 }, { strategy: 'SINGLE_SHARDING_BALANCE' }],
  ])('complete a job with %j by all of %j, since they go together', (own, defaults) => {
    expect(overDefaults({ ...JOB, ...own }, { defaults })).toEqual({ ...JOB, ...own, ...defaults });
  });

  it('complete a job also if its own options contradict each other, which its own error says', () => {
    const broken: JobOptions = { ...JOB, misfire: true, misfirePolicy: 'skip' };

    expect(overDefaults(broken, { defaults: { failover: true } })).toEqual({ ...broken, failover: true });
  });

  it('are refused if they contradict each other', () => {
    expect(findDefaultsFaults({ failover: true, misfirePolicy: 'all' })).toEqual([]);
    expect(findDefaultsFaults({ misfire: true, misfirePolicy: 'skip' })).toEqual([
      'defaults.misfirePolicy "skip" contradicts misfire true; leave misfire out, or set it to false',
    ]);
  });

  it('are those of a template too, but for writing over the registry, for which such a job has no code', () => {
    expect(defaultsOfTemplate({ overwrite: true, failover: true })).toEqual({ failover: true });
    expect(defaultsOfTemplate()).toEqual({});
  });
});

describe('the rule of defaults', () => {
  it.each<[unknown, boolean, boolean]>([
    [{}, true, true],
    [{ timeZone: 'Europe/Berlin' }, true, true],
    [{ maxAttempts: 0 }, true, false],
    [{ timezone: 'Europe/Berlin' }, false, false],
    [{ cron: '0 0 2 * * ?' }, false, false],
    [{ executor: 'task' }, false, false],
    [['timeZone'], false, false],
    [null, false, false],
    ['UTC', false, false],
  ])('takes %j by its names: %s, and by its values as well: %s', (given, hasKnownNames, isKept) => {
    expect([commonNames().accepts?.(given), jobDefaults().accepts?.(given)]).toEqual([hasKnownNames, isKept]);
  });
});
