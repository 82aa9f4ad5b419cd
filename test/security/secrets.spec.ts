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
  JobEvents,
  JobRegistrar,
  LeaderService,
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

const CANARY = 'canary-7f3a9c';
const NEVER = '0 0 0 1 1 ? 2199';
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
  readonly reports: FailureReport[] = [];
  readonly spans = new InMemorySpanExporter();
  readonly database = new SwitchedSqlite();
  jobs!: JobApplication;

  static async start(options: ElasticJobModuleOptions, ...providers: readonly (new () => object)[]): Promise<Telling> {
    const telling = new Telling();
    const { lines, reports, spans, database } = telling;
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
        tracing: [new SqlHistory(database.db)],
      },
    });
    const app = await whileTimePasses(
      clock,
      NestFactory.createApplicationContext(root, { logger, abortOnError: false }),
    );
    telling.jobs = new JobApplication(app, clock);
    return telling;
  }

  /** All texts of log, channel, history, spans, metrics and health, joined. */
  async told(): Promise<string> {
    const { app, clock } = this.jobs;
    await clock.advance(120_000);
    const health = app.get(ElasticJobHealthIndicator);
    const tables = ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'].map((table) => this.database.rows(table));
    const spans = this.spans
      .getFinishedSpans()
      .map(({ attributes, events, name, status }) => [name, attributes, events, status]);
    const metrics = await app.get(JobMetrics).registry.metrics();
    return shown([this.lines, this.reports, tables, spans, metrics, health.liveness(), health.readiness()]);
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
