import { DrainDeadlineError, ElasticJob, ElasticJobModule, type ShardingContext } from '@app/elastic-job';
import { VirtualClock } from '@app/elastic-job/testing';
import { type DynamicModule, Global, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVERY_SECOND, JobApplication, QUIET, startJobs, whileTimePasses } from './support/job-application.js';

/** The steps so far, in order. */
let steps: string[] = [];
/** Ends the run that waits for this call. */
let finishRun = (): void => {};

@Injectable()
class Database implements OnModuleDestroy {
  private isOpen = true;

  write(): void {
    steps.push(this.isOpen ? 'written' : 'written to a closed database');
  }

  onModuleDestroy(): void {
    this.isOpen = false;
    steps.push('database closed');
  }
}

@Module({ providers: [Database], exports: [Database] })
class DatabaseModule {}

@Global()
@Module({ providers: [Database], exports: [Database] })
class GlobalDatabaseModule {}

@Injectable()
class OrderJobs {
  constructor(private readonly database: Database) {}

  @ElasticJob(EVERY_SECOND, 1)
  async settle({ signal }: ShardingContext): Promise<void> {
    steps.push('begun');
    await new Promise<void>((resolve) => {
      finishRun = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    if (signal.reason instanceof Error) steps.push(`aborted: ${signal.reason.name}`);
    this.database.write();
  }
}

@Module({ imports: [DatabaseModule], providers: [OrderJobs] })
class OrdersModule {}

@Module({ providers: [OrderJobs] })
class OrdersOverGlobalModule {}

function rootWith(definition: Omit<DynamicModule, 'module'>): DynamicModule {
  @Module({})
  class Root {}
  return { module: Root, ...definition };
}

const ARRANGEMENTS: [string, (jobs: DynamicModule) => DynamicModule][] = [
  ['imported before', (jobs) => rootWith({ imports: [DatabaseModule, jobs], providers: [OrderJobs] })],
  ['imported after', (jobs) => rootWith({ imports: [jobs, DatabaseModule], providers: [OrderJobs] })],
  ['of a feature module', (jobs) => rootWith({ imports: [jobs, OrdersModule] })],
  ['in the root module', (jobs) => rootWith({ imports: [jobs], providers: [Database, OrderJobs] })],
  ['global, before', (jobs) => rootWith({ imports: [GlobalDatabaseModule, OrdersOverGlobalModule, jobs] })],
  ['global, after', (jobs) => rootWith({ imports: [jobs, OrdersOverGlobalModule, GlobalDatabaseModule] })],
  [
    'deep below',
    (jobs) => rootWith({ imports: [rootWith({ imports: [rootWith({ imports: [OrdersModule] }), jobs] })] }),
  ],
];

async function startWith(root: DynamicModule, clock: VirtualClock): Promise<JobApplication> {
  const app = await whileTimePasses(clock, NestFactory.createApplicationContext(root, QUIET));
  return new JobApplication(app, clock);
}

describe('shutdown', () => {
  beforeEach(() => {
    steps = [];
  });

  it.each(ARRANGEMENTS)('lets the run end before a database %s closes', async (_where, arrange) => {
    const clock = new VirtualClock();
    const jobs = await startWith(arrange(ElasticJobModule.forRoot({ clock })), clock);
    await jobs.tick();
    const closing = jobs.close();
    await clock.advance(5_000);
    expect(steps).toEqual(['begun']);
    finishRun();
    await whileTimePasses(clock, closing);
    expect(steps).toEqual(['begun', 'written', 'database closed']);
    expect(jobs.outcomes).toEqual([[0, { kind: 'succeeded' }]]);
  });

  it('aborts a run longer than drainTimeoutMs before the database closes', async () => {
    const jobs = await startJobs({ providers: [Database, OrderJobs], options: { drainTimeoutMs: 2_000 } });
    await jobs.tick();
    const closing = jobs.close();
    await jobs.clock.advance(1_999);
    expect(steps).toEqual(['begun']);
    await jobs.clock.advance(1);
    await whileTimePasses(jobs.clock, closing);
    expect(steps).toEqual(['begun', 'aborted: DrainDeadlineError', 'written', 'database closed']);
    expect(jobs.outcomes).toMatchObject([[0, { kind: 'aborted', reason: expect.any(DrainDeadlineError) }]]);
  });

  it('closes the application although a handler ignores everything', async () => {
    class StubbornJobs {
      @ElasticJob(EVERY_SECOND, 1)
      async run(): Promise<void> {
        steps.push('begun');
        await new Promise(() => {});
      }
    }
    const jobs = await startJobs({ providers: [Database, StubbornJobs], options: { drainTimeoutMs: 1_000 } });
    await jobs.tick();
    await whileTimePasses(jobs.clock, jobs.close());
    expect(steps).toEqual(['begun', 'database closed']);
    expect(jobs.clock.pendingTimers).toBe(0);
  });

  it('closes once if close is called twice', async () => {
    const jobs = await startJobs({ providers: [Database, OrderJobs] });
    await whileTimePasses(jobs.clock, Promise.all([jobs.close(), jobs.app.close()]));
    expect(steps).toEqual(['database closed']);
  });
});

describe('start', () => {
  beforeEach(() => void (steps = []));

  it('starts jobs after a provider that is slow to bootstrap', async () => {
    @Injectable()
    class Cache {
      async onApplicationBootstrap(): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        steps.push('cache warm');
      }
    }
    const clock = new VirtualClock();
    const root = rootWith({ imports: [ElasticJobModule.forRoot({ clock })], providers: [Cache] });
    const jobs = await startWith(root, clock);
    expect(steps).toEqual(['cache warm']);
    expect(jobs.events).toEqual([]);
  });

  it('keeps other items and the process running while jobs fail in every way', async () => {
    class FailingJobs {
      @ElasticJob(EVERY_SECOND, 6)
      run({ shardingItem }: ShardingContext): unknown {
        switch (shardingItem) {
          case 0:
            throw new Error('thrown');
          case 1:
            return Promise.reject(new Error('rejected'));
          case 2:
            return new Promise(() => {});
          case 3:
            // oxlint-disable-next-line no-throw-literal -- what users' code may do
            throw undefined;
          case 4:
            // oxlint-disable-next-line no-throw-literal -- what users' code may do
            throw Object.create(null);
          default:
            return 'done';
        }
      }
    }
    const jobs = await startJobs({ providers: [FailingJobs], options: { drainTimeoutMs: 10 } });
    await jobs.tick();
    const kinds = jobs.outcomes.map(([item, { kind }]) => `${item} ${kind}`);
    expect(kinds.toSorted()).toEqual(['0 failed', '1 failed', '3 failed', '4 failed', '5 succeeded']);
  });
});
