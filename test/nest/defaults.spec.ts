import {
  ElasticJob,
  type ElasticJobModuleOptions,
  ElasticJobTemplate,
  JobRegistrar,
  type ShardingStrategy,
} from '@app/elastic-job';
import { ElasticJobCloudModule } from '@app/elastic-job/cloud';
import { elasticJobConfig } from '@app/elastic-job/config';
import { JobConfigurationApi, JobOperateApi } from '@app/elastic-job/operations';
import { MemoryRegistry } from '@app/elastic-job/registry';
import type { JobEventSink } from '@app/elastic-job/spi';
import { MemoryTaskCluster, VirtualClock } from '@app/elastic-job/testing';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { APP, JOB, startRest } from './support/cloud-rest-application.js';
import { type ApplicationParts, QUIET, rootModule, startJobs, whileTimePasses } from './support/job-application.js';

const YEARLY = { cron: '0 0 0 1 1 ? 2099', shardingTotalCount: 1 };

class OrderJobs {
  @ElasticJob({ ...YEARLY, name: 'plain' })
  plain(): void {}

  @ElasticJob({ ...YEARLY, name: 'own', timeZone: 'Asia/Tokyo', maxAttempts: 5, failover: false })
  own(): void {}
}

class TenantJobs {
  @ElasticJobTemplate('tenant', { timeoutMs: 7_000 })
  run(): void {}
}

class ByName implements ShardingStrategy {
  readonly type = 'BY_NAME';
  shard: ShardingStrategy['shard'] = () => new Map();
}

const DEFAULTS = {
  strategy: 'STICKY',
  timeZone: 'Europe/Berlin',
  failover: true,
  misfirePolicy: 'all',
  maxAttempts: 3,
  timeoutMs: 60_000,
} as const;

async function start(options: ElasticJobModuleOptions, parts: ApplicationParts = {}) {
  const jobs = await startJobs({ providers: [OrderJobs, TenantJobs], ...parts, options });
  const registrar = jobs.app.get(JobRegistrar);
  const settings = (name: string) => registrar.jobs.find(({ jobName }) => jobName === name)?.configuration;
  return { jobs, registrar, settings, within: <T>(work: Promise<T>) => whileTimePasses(jobs.clock, work) };
}

async function problemsOf(options: object): Promise<string> {
  const error: unknown = await NestFactory.createApplicationContext(rootModule({ options }), QUIET).catch(
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : 'a start';
}

describe('the defaults of the module', () => {
  it("stand below a job's own options and above the library's", async () => {
    const { settings } = await start({ defaults: DEFAULTS, jobs: { own: { timeoutMs: 5_000 } } });

    expect(settings('plain')).toMatchObject({
      ...DEFAULTS,
      strategy: { type: 'STICKY' },
      misfire: true,
      maxAttempts: 3,
    });
    expect(settings('own')).toMatchObject({
      timeZone: 'Asia/Tokyo',
      maxAttempts: 5,
      failover: false,
      timeoutMs: 5_000,
    });
    expect(settings('own')?.misfirePolicy).toBe('all');
    expect(settings('plain')?.retryDelayMs).toBe(1_000);
  });

  it('are those of jobs that are added at run time as well', async () => {
    const { registrar, settings, within } = await start({ defaults: DEFAULTS });

    await within(registrar.add({ ...YEARLY, name: 'added', maxAttempts: 2 }, () => {}));

    expect(settings('added')).toMatchObject({ timeZone: 'Europe/Berlin', maxAttempts: 2 });
  });

  it('are those of jobs without a class, and of jobs whose items are tasks', async () => {
    class Tasks {
      @ElasticJob({ ...YEARLY, name: 'task', executor: 'task' })
      run(): void {}
    }
    const clock = new VirtualClock();
    const imports = [ElasticJobCloudModule.forRoot({ backend: new MemoryTaskCluster({ clock }).backend() })];
    const typed = { ...YEARLY, type: 'HTTP', props: { 'http.uri': 'http://127.0.0.1/', 'http.method': 'GET' } };
    const { settings } = await start(
      { defaults: { ...DEFAULTS, monitorExecution: false, failover: false }, jobs: { typed } },
      { clock, imports, providers: [Tasks] },
    );

    expect(settings('typed')).toMatchObject({ timeZone: 'Europe/Berlin', monitorExecution: false });
    expect(settings('task')).toMatchObject({ timeZone: 'Europe/Berlin', monitorExecution: true });
  });

  it('count for created jobs where neither these nor their template say a value, and are not stored', async () => {
    const { jobs, settings, within } = await start({ defaults: { ...DEFAULTS, overwrite: true } });

    await within(jobs.app.get(JobOperateApi).create({ ...YEARLY, name: 'acme', template: 'tenant', maxAttempts: 9 }));
    await jobs.clock.advance(2_000);

    expect(settings('acme')).toMatchObject({ timeZone: 'Europe/Berlin', timeoutMs: 7_000, maxAttempts: 9 });
    expect(settings('acme')).toMatchObject({ failover: true, strategy: { type: 'STICKY' }, overwrite: false });
    await within(
      jobs.app.get(JobConfigurationApi).updateJobConfiguration('acme', { maxAttempts: null, timeZone: 'UTC' }),
    );
    await jobs.clock.advance(2_000);
    expect(settings('acme')).toMatchObject({ timeZone: 'UTC', maxAttempts: 3 });
  });

  it('give way to a created job that excludes them: it runs', async () => {
    const { jobs, settings, within } = await start({
      defaults: { concurrency: 4, monitorExecution: false, misfirePolicy: 'skip', strategy: 'SINGLE_SHARDING_BALANCE' },
      jobs: { plain: { monitorExecution: true } },
    });
    const create = (job: object) =>
      within(jobs.app.get(JobOperateApi).create({ template: 'tenant', shardingTotalCount: 2, name: '', ...job }));

    await create({ name: 'always', resident: true });
    await create({ name: 'then', after: 'plain' });
    await jobs.clock.advance(2_000);

    expect(settings('always')).toMatchObject({ concurrency: undefined, monitorExecution: true, resident: true });
    expect(settings('then')).toMatchObject({ misfirePolicy: 'once', monitorExecution: true, concurrency: 4 });
    expect(settings('then')?.strategy.type).not.toBe('SINGLE_SHARDING_BALANCE');
  });

  it.each([
    ['a type', 'BY_NAME'],
    ['a class', ByName],
    ['an instance', new ByName()],
  ])('name a strategy by %s', async (_what, strategy) => {
    const { settings } = await start({ defaults: { strategy }, strategies: [ByName] });

    expect(settings('plain')?.strategy.type).toBe('BY_NAME');
  });

  it('are written over the registry with overwrite: true, and without it the registry counts', async () => {
    const clock = new VirtualClock();
    const registry = { type: 'memory', server: new MemoryRegistry(clock) } as const;
    const first = await start({ registry, defaults: { timeZone: 'UTC' } }, { clock });
    expect(first.settings('plain')?.timeZone).toBe('UTC');

    const second = await start({ registry, defaults: { timeZone: 'Europe/Berlin' } }, { clock });
    expect(second.settings('plain')?.timeZone).toBe('UTC');

    const third = await start({ registry, defaults: { timeZone: 'Europe/Berlin', overwrite: true } }, { clock });
    expect(third.settings('plain')?.timeZone).toBe('Europe/Berlin');
  });

  it('tell and show a strategy that counts only while this process leads, since the registry names none', async () => {
    const clock = new VirtualClock();
    const registry = { type: 'memory', server: new MemoryRegistry(clock) } as const;
    const warnings: string[] = [];
    const sink: JobEventSink = {
      name: 'warnings',
      hear: (event) => void (event.kind === 'warning' && warnings.push(event.message)),
    };
    const first = await start({ registry }, { clock });
    const second = await start({ registry, tracing: [sink], defaults: { strategy: 'AVG_ALLOCATION' } }, { clock });
    const shown = async ({ jobs, within }: Awaited<ReturnType<typeof start>>) =>
      (await within(jobs.app.get(JobConfigurationApi).getJobConfiguration('plain')))?.strategy;

    expect([await shown(first), await shown(second)]).toEqual(['BALANCED', 'AVG_ALLOCATION']);
    const told = warnings.filter((text) => text.includes('AVG_ALLOCATION while this instance leads'));
    expect(told).toHaveLength(2); // one for each job

    const edits = second.jobs.app.get(JobConfigurationApi);
    await second.within(edits.updateJobConfiguration('plain', { strategy: 'AVG_ALLOCATION' }));
    expect([await shown(first), await shown(second)]).toEqual(['AVG_ALLOCATION', 'AVG_ALLOCATION']);
  });
});

describe("the defaults of the module, for jobs of ElasticJob-Cloud's tree", () => {
  it('count where the registered job says nothing, and give way where it excludes them', async () => {
    const defaults = { timeoutMs: 60_000, concurrency: 2, overwrite: true, failover: true } as const;
    const { app, tell } = await startRest({ jobs: { defaults } });
    const registrar = app.get(JobRegistrar, { strict: false });
    const settings = (name: string) => registrar.jobs.find(({ jobName }) => jobName === name)?.configuration;

    await tell('POST', '/api/app', APP);
    await tell('POST', '/api/job/register', { ...JOB, jobName: 'timed', failover: false });
    await tell('POST', '/api/job/register', { ...JOB, jobName: 'always', jobExecutionType: 'DAEMON' });

    const inForce = () => {
      expect(settings('timed')).toMatchObject({ timeoutMs: 60_000, concurrency: 2, failover: false, overwrite: false });
      expect(settings('always')).toMatchObject({ timeoutMs: undefined, concurrency: undefined, resident: true });
    };
    await vi.waitFor(inForce, { timeout: 10_000, interval: 20 });
  });
});

describe('a default that a job excludes by its own options', () => {
  it.each([
    ['failover', { failover: true }, { monitorExecution: false }, { failover: false, monitorExecution: false }],
    ['monitorExecution', { monitorExecution: false }, { failover: true }, { failover: true, monitorExecution: true }],
    ['misfirePolicy', { misfirePolicy: 'all' }, { misfire: false }, { misfire: false, misfirePolicy: 'skip' }],
    ['misfire', { misfire: false }, { misfirePolicy: 'all' }, { misfire: true, misfirePolicy: 'all' }],
    ['concurrency', { concurrency: 2 }, { cron: undefined, resident: true }, { concurrency: undefined }],
    ['timeoutMs', { timeoutMs: 60_000 }, { cron: undefined, resident: true }, { timeoutMs: undefined }],
    [
      'concurrency, said in the word of Java',
      { concurrency: 2 },
      { jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' },
      { concurrency: undefined },
    ],
    ['onHung', { onHung: 'terminate' }, {}, { onHung: 'wait' }],
    ['strategy', { strategy: 'SINGLE_SHARDING_BALANCE' }, { shardingTotalCount: 2 }, {}],
  ] as const)('is left out, and the other ones hold: %s', async (_name, defaults, own, expected) => {
    const { registrar, settings, within } = await start(
      { defaults: { ...defaults, timeZone: 'Europe/Berlin' } },
      { providers: [] },
    );

    await within(registrar.add({ ...YEARLY, name: 'added', ...own }, () => {}));

    expect(settings('added')).toMatchObject({ ...expected, timeZone: 'Europe/Berlin' });
  });
});

describe('wrong defaults of the module', () => {
  it.each([
    ['an unknown zone', { timeZone: 'Europe/Berln' }, /defaults\.timeZone: .*Europe\/Berln/],
    ['a wrong number', { maxAttempts: 0 }, /defaults\.maxAttempts must be a whole number from 1 .*but is 0/],
    [
      'a misspelled name',
      { timezone: 'UTC' },
      /defaults\.timezone is not an option .*; did you mean defaults\.timeZone/,
    ],
    ['what belongs to one job', { cron: '* * * * * ?' }, /defaults\.cron is not an option/],
    ['options of the code', { executor: 'task' }, /defaults\.executor is not an option/],
    ['no object', 'UTC', /defaults must be settings that jobs have in common/],
    ['an unknown strategy', { strategy: 'BY_MOON' }, /defaults\.strategy: .*BY_MOON/],
    [
      'a strategy without shard',
      { strategy: { type: 'SHARDLESS' } },
      /defaults\.strategy must be the type of a strategy/,
    ],
    [
      'two that contradict each other',
      { failover: true, monitorExecution: false },
      /defaults\.failover must not be true with monitorExecution: false/,
    ],
    [
      'two words for one',
      { misfire: false, misfirePolicy: 'all' },
      /defaults\.misfirePolicy "all" contradicts misfire/,
    ],
  ])('end the start with their name: %s', async (_what, defaults, problem) => {
    expect(await problemsOf({ defaults })).toMatch(problem);
  });
});

describe('the defaults of the module in environment variables', () => {
  afterEach(() => void vi.unstubAllEnvs());

  function withVariables(variables: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(`ELASTIC_JOB_DEFAULTS_${name}`, value);
    return elasticJobConfig();
  }

  it('are read as the options of their names', () => {
    const variables = {
      STRATEGY: 'STICKY',
      TIME_ZONE: 'Europe/Berlin',
      FAILOVER: 'true',
      OVERWRITE: 'false',
      MISFIRE_POLICY: 'all',
      MAX_ATTEMPTS: '3',
      RETRY_FACTOR: '1.5',
      MAX_TIME_DIFF_SECONDS: '-1',
      CONCURRENCY: 'CPU',
      JOB_LISTENER_TYPES: 'audit,metrics',
    };

    expect(withVariables(variables).defaults).toEqual({
      strategy: 'STICKY',
      timeZone: 'Europe/Berlin',
      failover: true,
      overwrite: false,
      misfirePolicy: 'all',
      maxAttempts: 3,
      retryFactor: 1.5,
      maxTimeDiffSeconds: -1,
      concurrency: 'CPU',
      jobListenerTypes: ['audit', 'metrics'],
    });
  });

  it('are not in the options where no variable names one', () => {
    expect(Object.keys(elasticJobConfig())).not.toContain('defaults');
  });

  it('are refused by their names where they are wrong', () => {
    const given = { TIME_ZONE: 'Europe/Berln', FAILOVER: 'yes', MAX_ATTEMPTS: '0', RETRY_JITTER: '2' };
    const refused = () => withVariables(given);
    expect(refused).toThrow(/ELASTIC_JOB_DEFAULTS_TIME_ZONE must be .*, but is "Europe\/Berln"/);
    expect(refused).toThrow(/ELASTIC_JOB_DEFAULTS_FAILOVER must be true or false, but is "yes"/);
    expect(refused).toThrow(/ELASTIC_JOB_DEFAULTS_MAX_ATTEMPTS must be a whole number from 1 .*, but is "0"/);
    expect(refused).toThrow(/ELASTIC_JOB_DEFAULTS_RETRY_JITTER must be a number from 0 to 1, but is "2"/);
  });

  it('come into force through the module', async () => {
    const { defaults } = withVariables({ TIME_ZONE: 'Europe/Berlin', STRATEGY: 'STICKY' });
    const { settings } = await start({ defaults });

    expect(settings('plain')).toMatchObject({ timeZone: 'Europe/Berlin', strategy: { type: 'STICKY' } });
  });
});
