import {
  ElasticJob,
  ElasticJobModule,
  type JobEvent,
  JobEvents,
  JobRegistrar,
  type ShardingContext,
} from '@app/elastic-job';
import { ElasticJobMetricsModule, type ElasticJobMetricsOptions, METRICS } from '@app/elastic-job/metrics';
import { JobOperateApi, ShardingOperateApi } from '@app/elastic-job/operations';
import { createTestCluster, VirtualClock } from '@app/elastic-job/testing';
import { type INestApplication, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter, Registry } from 'prom-client';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { JobApplication, QUIET, rootModule, whileTimePasses } from './support/job-application.js';

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: '0/10 * * * * ?', shardingTotalCount: 4 })
  settle({ shardingItem }: ShardingContext): void {
    if (shardingItem === 3) throw new Error('no such order');
  }
}

/** An application that answers HTTP, over an embedded registry and a virtual clock. */
async function startServer(options?: ElasticJobMetricsOptions) {
  const clock = new VirtualClock();
  const root = rootModule({ clock, imports: [ElasticJobMetricsModule.forRoot(options)], providers: [OrderJobs] });
  const app = await NestFactory.create(root, QUIET);
  await whileTimePasses(clock, app.init());
  return new JobApplication(app, clock);
}

/** A scraper's view: values by metric and labels. */
interface Exposition {
  readonly type: string;
  value(metric: string, labels?: Readonly<Record<string, string>>): number | undefined;
  /** The values that a label has, over all series of a metric. */
  labels(metric: string, label: string): string[];
  /** Jobs that have a series in any metric. */
  jobs(): string[];
}

async function scrape({ app }: JobApplication<INestApplication>, path = '/metrics'): Promise<Exposition> {
  const { text, type } = await request(app.getHttpServer()).get(path).expect(200);
  const series = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, metric, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, of]) => [name!, of!] as const);
      return { metric, labels: new Map(pairs), value: Number(value) };
    });
  return {
    type,
    value: (metric, labels = {}) =>
      series.find((one) => one.metric === metric && Object.entries(labels).every(([k, v]) => one.labels.get(k) === v))
        ?.value,
    labels: (metric, label) => [
      ...new Set(series.filter((one) => one.metric === metric).map((one) => one.labels.get(label)!)),
    ],
    jobs: () => [...new Set(series.map((one) => one.labels.get('job')))].filter((job) => job !== undefined),
  };
}

/** Tells of a job all that is counted with its name beside what every run tells. */
function tellAllKinds(events: JobEvents, jobName: string): void {
  const trigger = { jobName, fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER' } as const;
  const task = { uid: 'u', launch: 1, key: { jobName, item: 0 } };
  const told = [
    { kind: 'executor-died', trigger, item: 0, state: 'KILLED', requeue: 'queue' },
    { kind: 'error-handler-failed', jobName, type: 'PAGER', error: undefined },
    { kind: 'error', jobName, message: 'no', error: undefined },
    { kind: 'task-launched', jobName, item: 0, task },
    { kind: 'task-state', jobName, item: 0, task, state: 'RUNNING', startedAfterMs: 1 },
    { kind: 'task-state', jobName, item: 0, task, state: 'FINISHED' },
  ];
  // oxlint-disable-next-line no-unsafe-type-assertion -- the parts that metrics read
  for (const event of told) events.emit(event as unknown as JobEvent);
}

const ORDERS = { job: 'settle-orders' };

describe('ElasticJobMetricsModule', () => {
  it('read the state of all jobs once for each scrape', async () => {
    const jobs = await startServer();
    const status = vi.spyOn(jobs.app.get(ElasticJobRuntime), 'status');
    await scrape(jobs);
    await scrape(jobs);

    expect(status).toHaveBeenCalledTimes(2);
  });

  it('serves runs, outcomes, lateness and duration at /metrics', async () => {
    const server = await startServer();
    await server.clock.advance(25_000);

    const metrics = await scrape(server);

    expect(metrics.type).toBe('text/plain');
    expect(metrics.value('elastic_job_runs_total', { ...ORDERS, source: 'NORMAL_TRIGGER' })).toBe(2);
    expect(metrics.value('elastic_job_items_total', { ...ORDERS, outcome: 'succeeded' })).toBe(6);
    expect(metrics.value('elastic_job_items_total', { ...ORDERS, outcome: 'failed' })).toBe(2);
    expect(metrics.value('elastic_job_lateness_seconds_count', ORDERS)).toBe(2);
    expect(metrics.value('elastic_job_lateness_seconds_bucket', { ...ORDERS, le: '0.1' })).toBe(2);
    expect(metrics.value('elastic_job_item_duration_seconds_count', ORDERS)).toBe(8);
    expect(metrics.value('elastic_job_elections_total', ORDERS)).toBe(1);
    expect(metrics.value('elastic_job_reshardings_total', ORDERS)).toBe(1);
  });

  it('shows session, leader and requests, and a scrape makes no request', async () => {
    const server = await startServer();
    await server.clock.advance(1_000);

    const first = await scrape(server);
    const second = await scrape(server);

    expect(first.value('elastic_job_session_state', { state: 'CONNECTED' })).toBe(1);
    expect(first.value('elastic_job_session_state', { state: 'LOST' })).toBe(0);
    expect(first.value('elastic_job_session_changes_total', { state: 'CONNECTED' })).toBe(1);
    expect(first.value('elastic_job_joined', ORDERS)).toBe(1);
    expect(first.value('elastic_job_leader_known', ORDERS)).toBe(1);
    expect(first.value('elastic_job_schedule_lag_seconds', ORDERS)).toBe(0);
    const requests = (metrics: Exposition) =>
      metrics.value('elastic_job_registry_requests_total', { kind: 'foreground' });
    expect(requests(first)).toBeGreaterThan(0);
    expect(requests(second)).toBe(requests(first));
  });

  it('counts the items that an operator has disabled, until they are enabled again', async () => {
    const server = await startServer();
    const items = server.app.get(ShardingOperateApi);
    const count = async () => (await scrape(server)).value('elastic_job_disabled_items', ORDERS);

    for (const item of [1, 2]) await whileTimePasses(server.clock, items.disable('settle-orders', item));
    const disabled = await count();
    await whileTimePasses(server.clock, items.enable('settle-orders', 1));

    expect([disabled, await count()]).toEqual([2, 1]);
  });

  it('tells how long an item has failed in each of its runs, though other items succeed', async () => {
    const server = await startServer();
    const failing = async () => (await scrape(server)).value('elastic_job_failing_seconds', ORDERS);

    await server.clock.advance(10_000);
    const once = await failing();
    await server.clock.advance(3_600_000);

    expect([once, await failing()]).toEqual([0, 3_600]);
  });

  it('counts the jobs after which another one starts and that do not run', async () => {
    const server = await startServer();
    const registrar = server.app.get(JobRegistrar);
    const after = { name: 'report', after: ['imports', 'settle-orders'], shardingTotalCount: 1 };
    await whileTimePasses(
      server.clock,
      registrar.add(after, () => {}),
    );
    await server.clock.advance(1_000);

    expect((await scrape(server)).value('elastic_job_parents_away', { job: 'report' })).toBe(1);
  });

  it('shows a counter that has counted nothing as 0, so that its first event is visible', async () => {
    const server = await startServer();

    const metrics = await scrape(server);

    expect(metrics.value('elastic_job_items_total', { ...ORDERS, outcome: 'fenced' })).toBe(0);
    expect(metrics.value('elastic_job_failovers_total', ORDERS)).toBe(0);
    expect(metrics.value('elastic_job_misfires_total', ORDERS)).toBe(0);
  });

  it('shows items that this instance owns, and that an operator has disabled its server', async () => {
    const server = await startServer();
    const before = await scrape(server);

    await whileTimePasses(server.clock, server.app.get(JobOperateApi).disable('settle-orders'));
    await server.clock.advance(1_000);
    const after = await scrape(server);

    const shown = (metrics: Exposition) =>
      ['owned_items', 'disabled', 'joined'].map((name) => metrics.value(`elastic_job_${name}`, ORDERS));
    expect(shown(before)).toEqual([4, 0, 1]);
    expect(shown(after)).toEqual([4, 1, 1]);
  });

  it('counts attempts that are repeated and rows that a slow history drops', async () => {
    const server = await startServer();
    const options = { name: 'flaky', cron: '0/10 * * * * ?', shardingTotalCount: 1, maxAttempts: 3, retryDelayMs: 100 };
    const flaky = ({ attempt }: ShardingContext): void => {
      if (attempt < 3) throw new Error('try again');
    };
    await whileTimePasses(server.clock, server.app.get(JobRegistrar).add(options, flaky));
    await server.clock.advance(15_000);
    for (const count of [3, 4]) server.app.get(JobEvents).emit({ kind: 'history-dropped', sink: 'sql', count });

    const metrics = await scrape(server);

    expect(metrics.value('elastic_job_retries_total', { job: 'flaky' })).toBe(2);
    expect(metrics.value('elastic_job_items_total', { job: 'flaky', outcome: 'succeeded' })).toBe(1);
    expect(metrics.value('elastic_job_history_dropped_total', { sink: 'sql' })).toBe(7);
  });

  it('describes in its catalogue every metric of a scrape', async () => {
    const { registry } = await startMetered();

    const described = (await registry.getMetricsAsJSON()).map(({ name, help }) => [name, help] as const);

    const catalogue = Object.entries(METRICS).map(([name, { help }]) => [name, help] as const);
    expect(new Map(described)).toEqual(new Map(catalogue));
  });

  it('gathers jobs beyond its limit in one series, and loses nothing', async () => {
    const server = await startServer({ maxJobs: 2 });
    const registrar = server.app.get(JobRegistrar);
    for (const name of ['b', 'c', 'd']) {
      const added = registrar.add({ name, cron: '0/10 * * * * ?', shardingTotalCount: 1 }, () => {});
      await whileTimePasses(server.clock, added);
    }
    await server.clock.advance(10_000);

    const metrics = await scrape(server);

    for (const metric of ['elastic_job_runs_total', 'elastic_job_items_total', 'elastic_job_joined']) {
      expect(metrics.labels(metric, 'job').toSorted()).toEqual(['b', 'other', 'settle-orders']);
    }
    expect(metrics.value('elastic_job_runs_total', { job: 'other' })).toBe(2);
    expect(metrics.value('elastic_job_joined', { job: 'other' })).toBe(2);
  });

  it('frees every series of a job that has left for good, after a scrape with its last values', async () => {
    const server = await startServer({ maxJobs: 2 });
    const registrar = server.app.get(JobRegistrar);
    for (let round = 0; round < 10; round += 1) {
      const job = `created-${round}`;
      const added = registrar.add({ name: job, cron: '0/10 * * * * ?', shardingTotalCount: 1 }, () => {});
      await whileTimePasses(server.clock, added);
      await server.clock.advance(10_000);
      tellAllKinds(server.app.get(JobEvents), job);
      expect((await scrape(server)).jobs()).toContain(job);

      await whileTimePasses(server.clock, registrar.remove(job));

      const last = await scrape(server);
      expect(last.value('elastic_job_runs_total', { job, source: 'NORMAL_TRIGGER' })).toBe(1);
      expect((await scrape(server)).jobs().filter((shown) => shown !== 'other')).toEqual(['settle-orders']);
    }
    // A run may end after its job has left.
    tellAllKinds(server.app.get(JobEvents), 'created-0');
    expect((await scrape(server)).jobs()).toEqual(['settle-orders', 'other']);
  });

  it("serves the metrics of the user's registry and path beside ours", async () => {
    const registry = new Registry();
    new Counter({ name: 'orders_total', help: 'Orders', registers: [registry] }).inc(7);
    const server = await startServer({ registry, path: 'ops/prometheus' });

    const metrics = await scrape(server, '/ops/prometheus');

    expect(metrics.value('orders_total')).toBe(7);
    expect(metrics.value('elastic_job_joined', ORDERS)).toBe(1);
    await request(server.app.getHttpServer()).get('/metrics').expect(404);
  });

  it('takes options from a factory, with the path beside it', async () => {
    const registry = new Registry();
    const useFactory = async () => Promise.resolve({ registry, maxJobs: 1 });
    const clock = new VirtualClock();
    const metered = ElasticJobMetricsModule.forRootAsync({ path: 'ops/metrics', useFactory });
    const app = await NestFactory.create(rootModule({ clock, imports: [metered], providers: [OrderJobs] }), QUIET);
    await whileTimePasses(clock, app.init());

    const metrics = await scrape(new JobApplication(app, clock), '/ops/metrics');

    expect(metrics.value('elastic_job_joined', ORDERS)).toBe(1);
    expect(registry.getSingleMetric('elastic_job_joined')).toBeDefined();
  });

  it('does not start with wrong options from a factory, and names them', async () => {
    const metered = ElasticJobMetricsModule.forRootAsync({ useFactory: () => ({ maxJobs: 0 }) });
    const root = rootModule({ clock: new VirtualClock(), imports: [metered], providers: [OrderJobs] });
    await expect(NestFactory.create(root, QUIET)).rejects.toThrow('maxJobs must be a whole number from 1, but is 0');
  });

  it('serves nothing with path: false', async () => {
    const server = await startServer({ path: false });
    const { status } = await request(server.app.getHttpServer()).get('/metrics');
    expect(status).toBe(404);
  });

  it('answers under Fastify with the type that Prometheus expects', async () => {
    const clock = new VirtualClock();
    const root = rootModule({ clock, imports: [ElasticJobMetricsModule.forRoot()], providers: [OrderJobs] });
    const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), QUIET);
    await whileTimePasses(clock, app.init());
    const server = new JobApplication(app, clock);

    const { body, headers } = await server.app.inject({ url: '/metrics' });

    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toContain('# TYPE elastic_job_runs_total counter');
  });

  it('refuses a registry that another application uses, with the remedy', async () => {
    const registry = new Registry();
    await startServer({ registry });
    await expect(startServer({ registry })).rejects.toThrow(/give each application a registry of its own/);
  });

  it.each([
    [{ path: '' }, 'path must be a path such as "/metrics", or false, but is ""'],
    [{ maxJobs: 0 }, 'maxJobs must be a whole number from 1, but is 0'],
    [{ maxJob: 5, path: false }, 'did you mean maxJobs?'],
    [{ registry: JSON.parse('{}') }, 'registry must be a Registry of prom-client'],
    [{ buckets: 'fine' }, 'buckets must be lists of seconds'],
    [{ buckets: [1, 2] }, 'buckets must be lists of seconds, such as { lateness: [0.1, 1, 10] }'],
    [{ buckets: { latenes: [1, 2] } }, 'buckets.latenes is not an option of the metrics module; did you mean'],
    [
      { buckets: { lateness: ['1', '2'] } },
      'buckets.lateness must be a list of seconds, ascending, such as [0.1, 1, 10]',
    ],
    [{ buckets: { duration: [2, 1] } }, 'buckets.duration must be a list of seconds, ascending'],
    [{ buckets: { duration: [1, Number.NaN] } }, 'buckets.duration must be a list of seconds, ascending'],
    [{ buckets: { duration: [1, Infinity] } }, 'buckets.duration must be a list of seconds, ascending'],
    [{ buckets: { duration: [] } }, 'buckets.duration must be a list of seconds, ascending'],
    [{ buckets: { taskStart: 5 } }, 'buckets.taskStart must be a list of seconds, ascending'],
  ])('is refused by name with %o', (options: object, message) => {
    expect(() => ElasticJobMetricsModule.forRoot(options)).toThrow(message);
  });

  it('counts in the buckets that it is given', async () => {
    const server = await startServer({ buckets: { lateness: [5, 50], duration: [7], taskStart: [1, 2, 3] } });
    await server.clock.advance(10_000);

    const metrics = await scrape(server);

    expect(metrics.labels('elastic_job_lateness_seconds_bucket', 'le')).toEqual(['5', '50', '+Inf']);
    expect(metrics.labels('elastic_job_item_duration_seconds_bucket', 'le')).toEqual(['7', '+Inf']);
  });
});

describe('the metrics of a cluster', () => {
  it('count orphans and failovers in the registry of the instance that takes items over', async () => {
    const registries = [new Registry(), new Registry()];
    const cluster = await startCluster(registries);
    await cluster.advance(9_500);
    const orphans = [...cluster.assignment('long').values()].filter((owner) => owner === 0).length;

    cluster.crash(0);
    await cluster.advance(15_000);

    expect(await total(registries[1]!, 'elastic_job_failovers_total')).toBe(orphans);
    expect(await total(registries[1]!, 'elastic_job_orphans_total')).toBe(orphans);
    expect(await total(registries[1]!, 'elastic_job_elections_total')).toBe(1);
  });

  it('show on each instance the items that wait for failover, because no instance has a free slot', async () => {
    const registries = [new Registry(), new Registry()];
    const cluster = await startCluster(registries, NarrowJobs);
    const values = async (name: string) => Promise.all(registries.map((registry) => valueOf(registry, name, 'narrow')));
    await cluster.advance(9_500);
    expect(await values('elastic_job_failover_queue_items')).toEqual([0, 0]);
    expect(await values('elastic_job_owned_items')).toEqual([1, 1]);

    cluster.crash(0);
    await cluster.advance(15_000);

    expect((await values('elastic_job_failover_queue_items'))[1]).toBe(1);
  });

  it('count the items of a lost session as fenced, and the session as lost', async () => {
    const registries = [new Registry(), new Registry()];
    const cluster = await startCluster(registries);
    await cluster.advance(9_500);
    const held = [...cluster.assignment('long').values()].filter((owner) => owner === 0).length;

    cluster.partition(0);
    await cluster.advance(15_000);

    const items = await registries[0]!.getSingleMetric('elastic_job_items_total')!.get();
    const fenced = items.values.find(({ labels }) => labels.outcome === 'fenced');
    expect(fenced!.value).toBe(held);
    const states = await registries[0]!.getSingleMetric('elastic_job_session_state')!.get();
    expect(states.values.find(({ value }) => value === 1)!.labels).toEqual({ state: 'LOST' });
  });
});

/** Runs until its signal aborts; a failover ends at once. */
class LongJobs {
  @ElasticJob({ name: 'long', cron: '10 * * * * ?', shardingTotalCount: 4, failover: true })
  async run({ signal, source }: ShardingContext): Promise<void> {
    if (source === 'FAILOVER') return;
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  }
}

/** Has one slot on each instance, which its run does not give back. */
class NarrowJobs {
  @ElasticJob({ name: 'narrow', cron: '10 * * * * ?', shardingTotalCount: 2, failover: true, concurrency: 1 })
  async run({ signal }: ShardingContext): Promise<void> {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  }
}

async function startCluster(registries: readonly Registry[], provider: Type = LongJobs) {
  const module = (index: number) => {
    @Module({
      imports: [
        ElasticJobModule.forRoot({}),
        ElasticJobMetricsModule.forRoot({ registry: registries[index], path: false }),
      ],
      providers: [provider],
    })
    class AppModule {}
    return AppModule;
  };
  const cluster = await createTestCluster({ instances: registries.length, module });
  onTestFinished(() => cluster.stop());
  return cluster;
}

async function startMetered() {
  const registry = new Registry();
  await startServer({ registry });
  return { registry };
}

async function valueOf(registry: Registry, name: string, job: string): Promise<number | undefined> {
  const { values } = await registry.getSingleMetric(name)!.get();
  return values.find(({ labels }) => labels.job === job)?.value;
}

async function total(registry: Registry, name: string): Promise<number> {
  const { values } = await registry.getSingleMetric(name)!.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}
