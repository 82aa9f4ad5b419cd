import { Injectable, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { CronJob } from 'cron';
import {
  DistributeOnceElasticJobListener,
  type ElasticJobListener,
  ElasticJobModule,
  JobRegistrar,
  type ShardingContext,
} from '../../../../libs/elastic-job/src/index.js';
import { openTelemetryTracer } from '../../../../libs/elastic-job/src/tracing/opentelemetry/index.js';
import { Enhanced, Flow, forever, Orders, Scoped, Seen, Services, Settle, tell } from './jobs.js';

const listener: ElasticJobListener = {
  beforeJobExecuted: ({ jobName, taskId, shardingItemParameters }) =>
    tell({ before: jobName, taskId, items: [...shardingItemParameters] }),
  afterJobExecuted: ({ jobName }) => tell({ after: jobName }),
};

/** Waits for the other items, where they exist. */
class Everywhere extends DistributeOnceElasticJobListener {
  doBeforeJobExecutedAtLastStarted = () => tell('must not be called');
  doAfterJobExecutedAtLastCompleted = () => tell('must not be called');
}

const GREET = {
  type: 'GREET',
  findFaults: ({ name }: Readonly<Record<string, string>>) => (name ? [] : ['name must be given']),
  execute: ({ props, jobName }: ShardingContext) => tell({ greeted: props['name'], jobName }),
};

/** Timers that a task must not run, and hooks that must be called. */
@Injectable()
class Life implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly registrar: JobRegistrar,
    private readonly schedules: SchedulerRegistry,
  ) {}

  async onModuleInit(): Promise<void> {
    // As every SDK for Node does.
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const boot = process.env['BOOT'];
    if (boot === 'throws') throw new RangeError('no database');
    if (boot === 'hangs') tell('booting');
    if (boot === 'rejects') void Promise.reject(new RangeError('nobody hears'));
    if (boot === 'hangs' || boot === 'rejects') await forever();
    await this.registrar.add({ name: 'added', cron: '* * * * * ?', shardingTotalCount: 2 }, () => tell('added ran'));
    if (process.env['OWN_TIMERS'] === undefined) return;
    const cron = new CronJob('* * * * * *', () => tell('a cron job has run'));
    this.schedules.addCronJob('own', cron);
    cron.start();
    this.schedules.addInterval(
      'own',
      setInterval(() => tell('an interval has run'), 2_000),
    );
  }

  @Interval(1)
  interval(): void {
    tell('an interval has run');
  }

  @Timeout(1)
  timeout(): void {
    tell('a timeout has run');
  }

  async onModuleDestroy(): Promise<void> {
    tell('destroyed');
    if (process.env['CLOSE'] === 'throws') throw new RangeError('cannot close');
    if (process.env['CLOSE'] === 'hangs') await new Promise(() => {});
  }
}

@Module({
  imports: [
    ScheduleModule.forRoot(),
    ElasticJobModule.forRoot({
      registry: { type: 'zookeeper', servers: process.env['SERVERS'] ?? '127.0.0.1:1', namespace: 'tasks' },
      tokenEpoch: 9,
      jobs: { greet: { type: 'GREET', cron: '* * * * * ?', shardingTotalCount: 3, props: { name: 'nobody' } } },
      jobTypes: [GREET],
      listeners: [listener, new Everywhere()],
      tracer: openTelemetryTracer(),
      redact: (text) => text.replaceAll('hunter2', '(secret)'),
    }),
  ],
  providers: [Enhanced, Flow, Orders, Scoped, Seen, Services, Settle, Life],
})
export class AppModule {}
