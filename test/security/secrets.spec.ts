import { inspect } from 'node:util';
import {
  ConfigurationService,
  ElasticJob,
  ElasticJobModule,
  type ElasticJobModuleOptions,
  ExecutionService,
  FailoverService,
  InstanceService,
  type JobErrorHandler,
  type JobEvent,
  JobEvents,
  JobRegistrar,
  LeaderService,
  REGISTRY_CENTER,
  ServerService,
  ShardingService,
} from '@app/elastic-job';
import {
  DingtalkErrorHandler,
  type FailureReport,
  SlackErrorHandler,
  WebhookErrorHandler,
  WechatErrorHandler,
} from '@app/elastic-job/error-handlers';
import { JobOperateApi } from '@app/elastic-job/operations';
import { EmailErrorHandler } from '@app/elastic-job/email';
import { ElasticJobMetricsModule, JobMetrics } from '@app/elastic-job/metrics';
import { openTelemetryTracer } from '@app/elastic-job/opentelemetry';
import type { RegistryCenter } from '@app/elastic-job/registry';
import { ScriptJobType } from '@app/elastic-job/script';
import { ElasticJobHealthIndicator, ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { VirtualClock } from '@app/elastic-job/testing';
import { SqlHistory } from '@app/elastic-job/tracing/sql';
import { Logger, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { JobApplication, rootModule, whileTimePasses } from '../nest/support/job-application.js';
import { SwitchedSqlite } from '@test/support/databases/switched-sqlite.js';
import { SECRET_VALUES } from '@test/support/unit/secret-values.js';

const CANARY = 'canary-7f3a9c';
const NEVER = '0 0 0 1 1 ? 2199';
const TASK = { fireTime: 1, launch: 1, uid: 'pod-1', node: undefined };
const SERVICES = [
  ConfigurationService,
  ExecutionService,
  FailoverService,
  InstanceService,
  JobEvents,
  JobRegistrar,
  LeaderService,
  ServerService,
  ShardingService,
  ElasticJobHealthIndicator,
  JobMetrics,
];

afterEach(() => {
  vi.unstubAllEnvs();
  Logger.overrideLogger(false);
});

/** An application with every log, channel and output that the library has. */
class Telling {
  readonly lines: unknown[][] = [];
  readonly heard: JobEvent[] = [];
  readonly reports: FailureReport[] = [];
  readonly spans = new InMemorySpanExporter();
  readonly database = new SwitchedSqlite();
  jobs!: JobApplication;

  static async start(options: ElasticJobModuleOptions, ...providers: readonly (new () => object)[]): Promise<Telling> {
    const telling = new Telling();
    const { heard, lines, reports, spans, database } = telling;
    const keep = (...line: unknown[]) => void lines.push(line);
    const logger: LoggerService = { log: keep, warn: keep, error: keep, debug: keep };
    const pager: JobErrorHandler = { type: 'PAGER', handle: (report) => void reports.push(report) };
    const clock = new VirtualClock();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    const root = rootModule({
      clock,
      imports: [ElasticJobMetricsModule.forRoot(), ElasticJobHealthModule],
      providers: [...providers],
      options: {
        ...options,
        errorHandlers: [pager, ...(options.errorHandlers ?? [])],
        tracer: openTelemetryTracer({ tracerProvider }),
        tracing: [
          { type: 'log', level: 'debug' },
          new SqlHistory(database.db),
          { name: 'own', hear: (event) => void heard.push(event) },
        ],
      },
    });
    const app = await whileTimePasses(
      clock,
      NestFactory.createApplicationContext(root, { logger, abortOnError: false }),
    );
    telling.jobs = new JobApplication(app, clock);
    return telling;
  }

  /** All texts of log, channel, history, spans, metrics, health and dumps, joined. */
  async told(): Promise<string> {
    return Object.values(await this.exits()).join('\n');
  }

  /** The texts of each exit, by its name. */
  async exits(): Promise<Readonly<Record<string, string>>> {
    const { app, clock } = this.jobs;
    await clock.advance(120_000);
    const health = app.get(ElasticJobHealthIndicator);
    const dumps: string[] = [];
    for (const { jobName } of app.get(JobRegistrar).jobs)
      dumps.push(await clock.advanceUntil(app.get(JobOperateApi).dump(jobName)));
    const spans = this.spans
      .getFinishedSpans()
      .map(({ attributes, events, name, status }) => [name, attributes, events, status]);
    return {
      log: shown(this.lines),
      sink: shown(this.heard),
      channel: shown(this.reports),
      history: shown(['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'].map((table) => this.database.rows(table))),
      spans: shown(spans),
      metrics: await app.get(JobMetrics).registry.metrics(),
      health: shown([health.liveness(), health.readiness(), health.leadership(), health.tracing()]),
      dump: dumps.join('\n'),
    };
  }
}

class FailingJobs {
  @ElasticJob({
    name: 'settle-orders',
    cron: NEVER,
    shardingTotalCount: 1,
    jobErrorHandlerType: 'PAGER',
    maxAttempts: 2,
  })
  settle(): void {
    throw new TypeError(`login failed with ${CANARY}`, { cause: new Error(`the password was ${CANARY}`) });
  }
}

describe('a secret in the texts of a run', () => {
  it('is removed by redact from all outputs of the process, but reaches listeners unchanged', async () => {
    const commandLine = `sh -c "echo ${CANARY}; echo ${CANARY} >&2; exit 1"`;
    const props = { 'script.command.line': commandLine };
    const telling = await Telling.start(
      {
        redact: (text) => text.replaceAll(CANARY, '***'),
        jobTypes: [new ScriptJobType()],
        jobs: { sweep: { type: 'SCRIPT', cron: NEVER, shardingTotalCount: 1, jobErrorHandlerType: 'PAGER', props } },
      },
      FailingJobs,
    );
    const { app, clock, events } = telling.jobs;
    const operator = app.get(JobOperateApi);
    for (const jobName of ['settle-orders', 'sweep']) {
      await clock.advanceUntil(operator.trigger(jobName, { parameters: `for ${CANARY}` }));
    }
    const ended = () => events.filter(({ kind }) => kind === 'finished').length;
    while (ended() < 2) await clock.advance(100);

    const told = await telling.told();

    expect(told).toContain('login failed with ***');
    expect(told).toContain('the password was ***');
    expect(told).not.toContain(CANARY);
    expect(telling.reports).toHaveLength(2);
    const report = telling.reports.find(({ jobName }) => jobName === 'settle-orders');
    expect(report!.error).toBeInstanceOf(TypeError);
    expect(shown(events)).toContain(CANARY);
  });

  it('is not shown at all if redact itself fails', async () => {
    const redact = () => {
      throw new Error('no such pattern');
    };
    const telling = await Telling.start({ redact }, FailingJobs);
    const { app, clock } = telling.jobs;
    await clock.advanceUntil(app.get(JobOperateApi).trigger('settle-orders'));

    const told = await telling.told();

    expect(told).toContain('(a text that could not be redacted)');
    expect(told).not.toContain(CANARY);
  });
});

/** Digits, so that a number can be the secret as well. */
const NUMBER = '4711083';

/** Throws what the test says. */
class ThrowingJobs {
  static thrown: () => unknown;

  @ElasticJob({
    name: 'throw',
    cron: NEVER,
    shardingTotalCount: 1,
    shardingItemParameters: `0=${NUMBER}`,
    jobErrorHandlerType: 'PAGER',
    maxAttempts: 2,
  })
  settle(): void {
    throw ThrowingJobs.thrown();
  }
}

describe('a secret in a value that a handler throws', () => {
  it.each([...SECRET_VALUES])('leaves the process by no exit: %s', async (_, make) => {
    ThrowingJobs.thrown = () => make(NUMBER);
    const redact = (text: string) => text.replaceAll(NUMBER, '***');
    const telling = await Telling.start({ redact }, ThrowingJobs);
    const { app, clock, events } = telling.jobs;
    app.get(JobEvents).emit({ kind: 'task-released', jobName: 'throw', item: 0, task: TASK, tail: `says ${NUMBER}` });
    await clock.advanceUntil(app.get(JobOperateApi).trigger('throw', { parameters: NUMBER }));
    while (!events.some(({ kind }) => kind === 'finished')) await clock.advance(100);
    const config = (await clock.advanceUntil(app.get<RegistryCenter>(REGISTRY_CENTER).read('/throw/config')))!.data;
    const edited = `${config.replace(/^description:.*\n/m, '')}description: ${NUMBER}\n`;
    await clock.advanceUntil(app.get<RegistryCenter>(REGISTRY_CENTER).set('/throw/config', edited));

    const exits = await telling.exits();

    expect(Object.keys(exits).filter((exit) => exits[exit]!.includes(NUMBER))).toEqual([]);
    expect(Object.keys(exits).filter((exit) => !exits[exit]!.includes('throw'))).toEqual([]);
    expect(exits['sink']).toContain('says ***');
    expect(exits['health']).toContain('***');
    expect(exits['dump']).toContain('description: ***');
  });
});

const REQUEST = { 'http.uri': 'https://example.org/', 'http.method': 'GET' };
/** Each prop of the job types with the secret as its wrong value. */
const WRONG_PROPS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ...Object.keys(REQUEST).map((name) => ['HTTP', { ...REQUEST, [name]: CANARY }] as const),
  ...['http.connect.timeout.milliseconds', 'http.read.timeout.milliseconds'].map(
    (name) => ['HTTP', { [name]: CANARY, ...REQUEST }] as const,
  ),
  ['HTTP', { 'http.content.type': `a\n${CANARY}`, ...REQUEST }],
  ['HTTP', { ...REQUEST, 'http.uri': `${CANARY}://host` }],
  ['SCRIPT', { 'script.command.line': `${CANARY} --all` }],
];

describe('a secret in an option, a prop or a variable', () => {
  const SECRETIVE: ElasticJobModuleOptions = {
    jobTypes: [new ScriptJobType({ context: 'stdin' })],
    errorHandlers: [
      new EmailErrorHandler({
        host: 'mail.invalid',
        auth: { username: 'jobs', password: CANARY },
        from: 'a@b.c',
        to: 'a@b.c',
      }),
      new WechatErrorHandler({ webhook: `http://127.0.0.1:1/?key=${CANARY}` }),
      new DingtalkErrorHandler({ webhook: 'http://127.0.0.1:1/', secret: CANARY }),
      new SlackErrorHandler({ webhook: `http://127.0.0.1:1/${CANARY}` }),
      new WebhookErrorHandler({ url: `http://127.0.0.1:1/${CANARY}`, authorization: `Bearer ${CANARY}` }),
    ],
    jobs: Object.fromEntries(
      ['EMAIL', 'WECHAT', 'DINGTALK', 'SLACK', 'WEBHOOK'].map((jobErrorHandlerType) => [
        `told-by-${jobErrorHandlerType}`,
        {
          type: jobErrorHandlerType === 'EMAIL' ? 'SCRIPT' : 'HTTP',
          cron: NEVER,
          shardingTotalCount: 1,
          jobErrorHandlerType,
          jobExtraConfigurations: `- !!x.Tracing {password: ${CANARY}}`,
          props: {
            'http.uri': `http://127.0.0.1:1/settle?key=${CANARY}`,
            'http.method': 'POST',
            'http.data': CANARY,
            'script.command.line': `sh -c "exit 3" ${CANARY}`,
            'dingtalk.secret': CANARY,
            'webhook.authorization': CANARY,
          },
        },
      ]),
    ),
  };

  it('appears in no output, and in no object that an application can inject', async () => {
    vi.stubEnv('DATABASE_PASSWORD', CANARY);
    const telling = await Telling.start(SECRETIVE);
    const { app, clock, events } = telling.jobs;
    const names = Object.keys(SECRETIVE.jobs ?? {});
    for (const jobName of names) await clock.advanceUntil(app.get(JobOperateApi).trigger(jobName));
    const failed = () => events.filter(({ kind }) => kind === 'error-handler-failed').length;
    while (failed() < names.length) await clock.advance(100);

    expect(await telling.told()).not.toContain(CANARY);
    expect(shown(events)).not.toContain(CANARY);
    for (const service of SERVICES)
      expect([service.name, shown(app.get(service))]).toEqual([service.name, expect.not.stringContaining(CANARY)]);
    for (const part of [...SECRETIVE.errorHandlers!, ...SECRETIVE.jobTypes!]) expect(shown(part)).not.toContain(CANARY);
  });

  it.each<[string, object]>([
    ['an option that the module does not know', { digset: `user:${CANARY}` }],
    ['an option that the registry does not know', { registry: { type: 'memory', pasword: CANARY } }],
    [
      'a digest of the wrong form',
      { registry: { type: 'zookeeper', servers: 'zk:2181', namespace: 'n', digest: CANARY } },
    ],
    [
      'an option that a job does not know',
      { jobs: { a: { type: 'HTTP', cron: NEVER, shardingTotalCount: 1, pasword: CANARY } } },
    ],
    [
      'servers with a password',
      { registry: { type: 'zookeeper', servers: `zk://user:${CANARY}@zk:2181`, namespace: 'n' } },
    ],
    [
      'servers with a password instead of a port',
      { registry: { type: 'zookeeper', servers: `user:${CANARY}@zk:2181`, namespace: 'n' } },
    ],
    [
      'props that are no record',
      { jobs: { a: { type: 'HTTP', cron: NEVER, shardingTotalCount: 1, props: JSON.parse(JSON.stringify(CANARY)) } } },
    ],
    [
      'an address with an account',
      {
        jobs: {
          a: {
            type: 'HTTP',
            cron: NEVER,
            shardingTotalCount: 1,
            props: { 'http.uri': `http://a:${CANARY}@b/`, 'http.method': 'GET' },
          },
        },
      },
    ],
    [
      'an address that is none',
      {
        jobs: {
          a: {
            type: 'HTTP',
            cron: NEVER,
            shardingTotalCount: 1,
            props: { 'http.uri': `//a:${CANARY}@b/?${CANARY}`, 'http.method': 'GET' },
          },
        },
      },
    ],
    ...WRONG_PROPS.map(
      ([type, props]) =>
        [
          `the props ${Object.keys(props).join(' and ')}`,
          {
            jobs: { a: { type, cron: NEVER, shardingTotalCount: 1, props } },
            jobTypes: [new ScriptJobType({ allow: ['true'] })],
          },
        ] as [string, object],
    ),
  ])('is not echoed of %s', async (_, wrong) => {
    const starting = NestFactory.createApplicationContext(ElasticJobModule.forRoot(wrong), {
      logger: false,
      abortOnError: false,
    });
    const error: unknown = await starting.catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(Error);
    expect(shown(error)).not.toContain(CANARY);
  });
});

/** The value as `console.log` shows it, and as JSON. */
function shown(value: unknown): string {
  return inspect(value, { depth: 12, maxStringLength: 1_000_000, maxArrayLength: 100_000 }) + json(value);
}

function json(value: unknown): string {
  const seen = new Set<unknown>();
  return JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one === 'bigint') return String(one);
    if (typeof one !== 'object' || one === null) return one;
    if (seen.has(one)) return undefined;
    seen.add(one);
    return one;
  });
}
