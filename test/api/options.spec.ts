import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import {
  ConfigurationError,
  ElasticJobModule,
  JobConfigurationApi,
  JobOperateApi,
  JobRegistrar,
  OnJobEvent,
} from '@app/elastic-job';
import { CloudConfigurations, ElasticJobCloudModule, LocalProcesses, runTask } from '@app/elastic-job/cloud';
import { ElasticJobConsoleModule, JsonLinesAuditStore } from '@app/elastic-job/console';
import { SqlAuditStore } from '@app/elastic-job/console/sql';
import { EmailErrorHandler } from '@app/elastic-job/email';
import {
  DingtalkErrorHandler,
  SlackErrorHandler,
  WebhookErrorHandler,
  WechatErrorHandler,
} from '@app/elastic-job/error-handlers';
import { PlainSqlGuard } from '@app/elastic-job/guards/plain-sql';
import { ElasticJobMetricsModule } from '@app/elastic-job/metrics';
import { openTelemetryTracer } from '@app/elastic-job/opentelemetry';
import { startDumpServer } from '@app/elastic-job/operations';
import { MemoryRegistry } from '@app/elastic-job/registry';
import { ScriptJobType } from '@app/elastic-job/script';
import { SystemClock } from '@app/elastic-job/spi';
import { ElasticJobHealthIndicator, ElasticJobHealthModule } from '@app/elastic-job/terminus';
import {
  createShardingContext,
  createTestCluster,
  MemoryTaskCluster,
  TestCluster,
  VirtualClock,
} from '@app/elastic-job/testing';
import { importElasticJobConfiguration, nextFireTimes, resolveJobOptions } from '@app/elastic-job/tools';
import { SqlHistory } from '@app/elastic-job/tracing/sql';
import { WorkerThreads } from '@app/elastic-job/worker-pool';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUIET, startJobs } from '../nest/support/job-application.js';

const REPORTS = new URL('../../libs/elastic-job/api/', import.meta.url);
/** Types of parameters that hold options. */
const OPTIONS =
  /\w+\??: (?:(?:Partial|Pick|Omit)<)*(\w*(?:Changes|Filter|Limits|NewJob|Options|Query|Scope|Source))\b/g;

/**
 * Options of one request, of which a process makes thousands in a second; of errors, which none may replace; and Nest's
 * own, of which the start judges what the factory returns. Only the library asks stores of the audit.
 */
const NOT_JUDGED = new Set([
  'AuditFilter',
  'CloseOptions',
  'ConfigurableModuleAsyncOptions',
  'ErrorOptions',
  'ExecutorDeathOptions',
  'RequestOptions',
  'SubtreeOptions',
  'SyncOptions',
  'TransactionOptions',
  'WatchOptions',
]);
/** These decorators never throw for a wrong value: the start judges it. @see test/nest/configuration.spec.ts */
const AT_START = ['ElasticJob', 'ElasticJobTemplate'];

/** Functions and methods of the reports on the entries that take options: `JobOperateApi.dump`. */
function takersOfOptions(): readonly string[] {
  const takers = readdirSync(REPORTS).flatMap((report) => {
    let owner: string | undefined;
    return readFileSync(new URL(report, REPORTS), 'utf8')
      .split('\n')
      .flatMap((line) => {
        if (/^(?:export |\})/.test(line)) owner = /^export (?:abstract )?class (\w+)/.exec(line)?.[1];
        const isFunction = line.startsWith('export function');
        const [, name, parameters] = /^(?:export function |    (?:static )?)(\w+)(?:<.*?>)?\((.*)$/.exec(line) ?? [];
        const types = [...(parameters ?? '').matchAll(OPTIONS)].filter(([, type]) => !NOT_JUDGED.has(type!));
        if (types.length === 0 || (!isFunction && owner === undefined)) return [];
        return isFunction ? [name!] : [`${owner}.${name}`];
      });
  });
  return [...new Set(takers)].filter((taker) => !AT_START.includes(taker)).toSorted();
}

@Module({})
class EmptyModule {}

const clock = new VirtualClock();
const registry = new MemoryRegistry(clock);
const center = registry.center({ namespace: 'n', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 });
const operate = new JobOperateApi(center, clock);
const cloud = new CloudConfigurations(center, clock);
const database = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
const history = new SqlHistory(database);
const tasks = new MemoryTaskCluster({ clock });
let health: ElasticJobHealthIndicator;
let registrar: JobRegistrar;

/** A call for each of them, with options of any kind. */
const CALLS: Readonly<Record<string, (options: never) => unknown>> = {
  'CloudApps.add': (options) => cloud.apps.add(options),
  'CloudApps.update': (options) => cloud.apps.update(options),
  'CloudJobs.add': (options) => cloud.jobs.add(options),
  'CloudJobs.update': (options) => cloud.jobs.update(options),
  'DingtalkErrorHandler.constructor': (options) => new DingtalkErrorHandler(options),
  'ElasticJobConsoleModule.forRoot': (options) => ElasticJobConsoleModule.forRoot(options),
  'ElasticJobHealthIndicator.liveness': (limits) => health.liveness('x', limits),
  'ElasticJobHealthIndicator.readiness': (limits) => health.readiness('x', limits),
  'ElasticJobHealthIndicator.registry': (limits) => health.registry('x', limits),
  'ElasticJobHealthIndicator.scheduleLag': (limits) => health.scheduleLag('x', limits),
  'ElasticJobHealthIndicator.tasks': (limits) => health.tasks('x', limits),
  'ElasticJobHealthModule.forRoot': (options) => ElasticJobHealthModule.forRoot(options),
  'ElasticJobMetricsModule.forRoot': (options) => ElasticJobMetricsModule.forRoot(options),
  'EmailErrorHandler.constructor': (options) => new EmailErrorHandler(options),
  'JobConfigurationApi.previewJobConfiguration': (changes) =>
    new JobConfigurationApi(center).previewJobConfiguration('j', changes),
  'JobConfigurationApi.updateJobConfiguration': (changes) =>
    new JobConfigurationApi(center).updateJobConfiguration('j', changes),
  'JobOperateApi.create': (job) => operate.create(Object.assign(Object(job), { name: 'k', template: 't' })),
  'JobOperateApi.disable': (scope) => operate.disable('j', scope),
  'JobOperateApi.dump': (options) => operate.dump('j', options),
  'JobOperateApi.enable': (scope) => operate.enable('j', scope),
  'JobOperateApi.previewRerun': (options) => operate.previewRerun('j', options),
  'JobOperateApi.remove': (scope) => operate.remove('j', scope),
  'JobOperateApi.rerun': (options) => operate.rerun('j', options),
  'JobOperateApi.shutdown': (scope) => operate.shutdown('j', scope),
  'JobOperateApi.trigger': (options) => operate.trigger('j', options),
  'JobRegistrar.add': (options) => registrar.add(options, () => {}),
  'JobRegistrar.change': (changes) => registrar.change('j', changes),
  'JsonLinesAuditStore.constructor': (options) => new JsonLinesAuditStore(options),
  'LocalProcesses.constructor': (options) => new LocalProcesses(options),
  'MemoryRegistry.center': (options) => registry.center(options),
  'MemoryTaskCluster.constructor': (options) => new MemoryTaskCluster(options),
  'MemoryTaskCluster.holdNext': (options) => tasks.holdNext('open', options),
  OnJobEvent: (options) => OnJobEvent('completed', options),
  'PlainSqlGuard.constructor': (options) => new PlainSqlGuard(options),
  'ScriptJobType.constructor': (options) => new ScriptJobType(options),
  'SlackErrorHandler.constructor': (options) => new SlackErrorHandler(options),
  'SqlAuditStore.constructor': (options) => new SqlAuditStore(database, options),
  'SqlHistory.constructor': (options) => new SqlHistory(Object(undefined), options),
  'SqlHistory.countExecutions': (filter) => history.countExecutions(filter),
  'SqlHistory.countStatuses': (filter) => history.countStatuses(filter),
  'SqlHistory.doubles': (query) => history.doubles(query),
  'SqlHistory.events': (query) => history.events(query),
  'SqlHistory.executions': (query) => history.executions(query),
  'SqlHistory.fireTimes': (query) => history.fireTimes(query),
  'SqlHistory.missed': (query) => history.missed(query),
  'SqlHistory.runs': (query) => history.runs(query),
  'SqlHistory.statistics': (query) => history.statistics(query),
  'SqlHistory.statuses': (query) => history.statuses(query),
  'SystemClock.constructor': (options) => new SystemClock(options),
  'TestCluster.constructor': (options) => new TestCluster(options),
  'VirtualClock.constructor': (options) => new VirtualClock(options),
  'VirtualClock.fork': (host) => clock.fork(host),
  'WebhookErrorHandler.constructor': (options) => new WebhookErrorHandler(options),
  'WechatErrorHandler.constructor': (options) => new WechatErrorHandler(options),
  'WorkerThreads.constructor': (options) => new WorkerThreads(options),
  createShardingContext,
  createTestCluster,
  importElasticJobConfiguration: (source) => importElasticJobConfiguration('elasticjob.enabled: true', source),
  nextFireTimes: (options) => nextFireTimes('0 0 1 * * ?', options),
  openTelemetryTracer,
  resolveJobOptions: (options) => resolveJobOptions(options, { place: 'spec' }),
  runTask: (options) => runTask(Object, options),
  startDumpServer: (options) => startDumpServer(operate, clock, options),
};

beforeAll(async () => {
  await center.connect();
  await center.transaction([
    { kind: 'create', path: '/j', data: 'J', mode: 'PERSISTENT' },
    { kind: 'create', path: '/j/config', data: 'jobName: j\nshardingTotalCount: 1\n', mode: 'PERSISTENT' },
  ]);
  const module = {
    module: EmptyModule,
    imports: [ElasticJobModule.forRoot({ registry: { type: 'memory' } }), ElasticJobHealthModule],
  };
  const app = await NestFactory.createApplicationContext(module, QUIET);
  health = app.get(ElasticJobHealthIndicator, { strict: false });
  registrar = app.get(JobRegistrar, { strict: false });
  await registrar.add({ name: 'j', cron: '0 0 1 1 1 ?', shardingTotalCount: 1 }, () => {});
  closing = () => app.close();
});
let closing = async (): Promise<void> => {};
afterAll(async () => {
  await closing();
  await center.close();
});

async function errorOf(call: (options: never) => unknown, options: unknown): Promise<unknown> {
  try {
    await Reflect.apply(call, undefined, [options]);
    return 'no error';
  } catch (error) {
    return error;
  }
}

/** A value that is no object lacks the options that they need, and is refused for that. */
const NEEDING = ['JobOperateApi.create', 'nextFireTimes'];

describe('options of public functions', () => {
  it('are all judged: each function that takes any has a call here', () => {
    expect(Object.keys(CALLS).toSorted()).toEqual(takersOfOptions());
  });

  it.each(Object.entries(CALLS))('are refused by name if they are unknown: %s', async (name, call) => {
    // Nest's options are in no list of ours, so `runTask` judges by what is near.
    const error = await errorOf(call, name === 'runTask' ? { bootTimeoutMS: 1 } : { mispelled: 1 });

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(/(?:mispelled|bootTimeoutMS) is not an option of /);
  });

  it.each(Object.entries(CALLS).filter(([name]) => !NEEDING.includes(name)))(
    'are refused if they are no object: %s',
    async (_, call) => {
      for (const options of [['a'], new Date(), 'text'])
        expect(await errorOf(call, options)).toMatchObject({
          code: 'CONFIGURATION',
          problems: [expect.stringContaining('the options must be an object, but are of type ')],
        });
    },
  );

  it.each<[string, object, string]>([
    ['ElasticJobHealthIndicator.readiness', { lostMs: 'x' }, 'lostMs must be a number from 0, but is "x"'],
    ['ElasticJobHealthIndicator.liveness', { lagMs: -1 }, 'lagMs must be a number'],
    ['ElasticJobHealthIndicator.scheduleLag', { degradedLagMs: Number.NaN }, 'degradedLagMs must be a number'],
    ['JobOperateApi.disable', { serverIp: 5 }, 'serverIp must be a text, but is 5'],
    ['JobOperateApi.dump', { hideSecrets: 'no' }, 'hideSecrets must be true or false, but is "no"'],
    ['JobOperateApi.trigger', { parameters: 5 }, 'parameters must be a text, but is 5'],
    ['JobOperateApi.rerun', { items: 'all', fireTimes: [0] }, 'items must be a list of 1 to 10000 items'],
    ['startDumpServer', { host: 'localhost' }, 'port must be a whole number from 0 to 65535, but is undefined'],
    ['SqlHistory.executions', { from: '2030-01-01' }, 'from must be a valid Date, but is "2030-01-01"'],
    ['SqlHistory.countExecutions', { source: 'MANUAL' }, 'source must be "NORMAL_TRIGGER", "MISFIRE" or "FAILOVER"'],
    ['SqlHistory.runs', { from: new Date(0) }, 'from must be an instant in milliseconds since the epoch'],
    ['SqlHistory.fireTimes', { jobName: 'j' }, 'now must be an instant in milliseconds since the epoch'],
    ['SqlHistory.countExecutions', { shardingItem: -1 }, 'shardingItem must be a whole number from 0'],
    ['WebhookErrorHandler.constructor', { authorization: 5 }, 'authorization must be a text'],
    ['EmailErrorHandler.constructor', { host: 'h', secure: 'yes' }, 'secure must be true or false, but is "yes"'],
    ['PlainSqlGuard.constructor', { placeholders: '$', select: () => [] }, 'placeholders must be "?" or "$1"'],
    ['ScriptJobType.constructor', { allow: '/opt/a.sh' }, 'allow must be a list of executables'],
    ['ScriptJobType.constructor', { context: 'env' }, 'context must be "argument", "stdin" or "environment"'],
    ['WorkerThreads.constructor', { maxThreads: 0 }, 'maxThreads must be a whole number from 1'],
    [
      'WorkerThreads.constructor',
      { resourceLimits: { maxOldGenerationMb: 5 } },
      'resourceLimits.maxOldGenerationMb is not an option of a thread',
    ],
    ['MemoryRegistry.center', { namespace: 'n', clock }, 'sessionTimeoutMs must be a number above 0'],
    ['OnJobEvent', { job: 5 }, 'job must be the name of a job, or a list of such, but is 5'],
    ['openTelemetryTracer', { tracerProvider: {} }, 'tracerProvider must be a TracerProvider'],
    ['createTestCluster', { instances: 1.5, jobs: [] }, 'instances must be a whole number from 0'],
    ['createTestCluster', { instances: 1 }, 'jobs must be a list of options with a handler each'],
    ['createTestCluster', { instances: 1, module: EmptyModule, lateAfterMs: 5 }, 'lateAfterMs is not an option of'],
    [
      'createTestCluster',
      { instances: 1, module: EmptyModule, overrides: {} },
      'overrides must be a list of providers',
    ],
    ['createShardingContext', { attempt: 0 }, 'attempt must be a whole number from 1'],
    ['VirtualClock.constructor', { rate: 0 }, 'rate must be a number above 0, but is 0'],
    ['MemoryTaskCluster.constructor', { clock: {} }, 'clock must be a Clock'],
    ['MemoryTaskCluster.holdNext', { at: 'during' }, 'at must be "before" or "after", but is "during"'],
  ])('are refused if they are wrong: %s %j', async (name, options, problem) => {
    const error = await errorOf(CALLS[name]!, options);

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(problem);
  });

  it('show no secret of a channel in the error', async () => {
    expect(String(await errorOf(CALLS['DingtalkErrorHandler.constructor']!, { secret: ['s3cret'] }))).not.toContain(
      's3cret',
    );
  });
});

describe('values that say that there is no limit, or come from another realm,', () => {
  it.each<[string, object]>([
    ['ElasticJobMetricsModule.forRoot', { maxJobs: Number.MAX_SAFE_INTEGER }],
    ['JobOperateApi.dump', { maxBytes: Number.POSITIVE_INFINITY }],
    [
      'MemoryRegistry.center',
      { namespace: 'n', clock, sessionTimeoutMs: 1, requestTimeoutMs: 1, maxRequestBytes: Number.POSITIVE_INFINITY },
    ],
    ['SqlHistory.countStatuses', { from: runInNewContext('new Date(0)') }],
    ['TestCluster.constructor', { instances: 1, jobs: [], hungGraceMs: Number.POSITIVE_INFINITY }],
  ])('are accepted: %s', async (name, options) => {
    expect(await errorOf(CALLS[name]!, options)).not.toBeInstanceOf(ConfigurationError);
  });
});

describe('ElasticJobCloudModule', () => {
  const backend = new LocalProcesses();

  it.each([
    [{ backend, alow: {} }, 'alow is not an option of ElasticJobCloudModule; did you mean allow?'],
    [{ backend, allow: { image: [] } }, 'allow.image is not an option of allow; did you mean allow.images?'],
    [{ backend, apps: ['a'] }, 'apps must be an object of options'],
    [{}, 'backend must be given, such as new LocalProcesses(), but is undefined'],
    [{ backend, tree: {}, rest: { guards: [], gaurds: [] } }, 'rest.gaurds is not an option of the REST interface'],
  ])('refuses wrong options: %#', async (options, problem) => {
    const start = startJobs({ imports: [ElasticJobCloudModule.forRoot(Object(options))] });

    await expect(start).rejects.toThrow(problem);
  });
});
