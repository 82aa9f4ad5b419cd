import { ElasticJob, type ElasticJobModuleOptions, JobEvents, JobRegistrar } from '@app/elastic-job';
import { ElasticJobCloudModule, type TaskBackend, type TaskHost } from '@app/elastic-job/cloud';
import { ElasticJobMetricsModule, JobMetrics } from '@app/elastic-job/metrics';
import { openTelemetryTracer } from '@app/elastic-job/opentelemetry';
import type { JobEventSink, RunTracer } from '@app/elastic-job/spi';
import { ElasticJobHealthIndicator, ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { MemoryTaskCluster, VirtualClock } from '@app/elastic-job/testing';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type JobApplication, startJobs, whileTimePasses } from './support/job-application.js';

const JOB = 'settle-orders';
const WORK_MS = 5_000;

class OrderJobs {
  @ElasticJob({ name: JOB, cron: '0/10 * * * * ?', shardingTotalCount: 2, executor: 'task', monitorExecution: true })
  settle(): void {}
}

let clock: VirtualClock;
let tasks: MemoryTaskCluster;
/** The function by which the backend reports changes of its state. */
let host: TaskHost;
beforeEach(() => {
  clock = new VirtualClock();
  useTasks(true);
});

/** @param adopts true if a scheduler may take over tasks of another one */
function useTasks(adopts: boolean): void {
  tasks = new MemoryTaskCluster({ clock, adopts });
  tasks.script(JOB, [
    { state: { name: 'QUEUED', detail: 'no room' }, ms: 1_000 },
    { state: { name: 'RUNNING' }, ms: WORK_MS },
    { state: { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 1 } } },
  ]);
}

async function start(
  options?: ElasticJobModuleOptions,
  own: Partial<Pick<TaskBackend, 'list' | 'start' | 'stop'>> = {},
): Promise<JobApplication> {
  const backend = tasks.backend();
  const startBackend = backend.start.bind(backend);
  backend.start = (given) => startBackend((host = given));
  Object.assign(backend, own);
  return startJobs({
    clock,
    options,
    imports: [ElasticJobCloudModule.forRoot({ backend }), ElasticJobMetricsModule.forRoot(), ElasticJobHealthModule],
    providers: [OrderJobs],
  });
}

/** Moves on to `ms` milliseconds after the next fire time. */
async function fire(ms: number): Promise<void> {
  await clock.advance(10_000 - (clock.wallNow() % 10_000) + ms);
}

function placeOf(item: number) {
  return { cluster: 'elastic-job', jobName: JOB, item };
}

it('lets items that have begun as their job is removed start their tasks and end', async () => {
  useTasks(false);
  const { app } = await start();
  const events = app.get(JobEvents, { strict: false });
  const registrar = app.get(JobRegistrar, { strict: false });
  const outcomes: string[] = [];
  let removal: Promise<void> | undefined;
  events.on((event) => {
    if (event.kind === 'started') removal ??= registrar.remove(JOB);
    if (event.kind === 'settled') outcomes.push(event.outcome.kind);
  });

  await fire(1_000 + WORK_MS + 1_000);
  await clock.advanceUntil(removal!);

  expect(outcomes).toEqual(['succeeded', 'succeeded']);
});

describe('the metrics of tasks', () => {
  it('count the tasks followed here by state, their start times, and their ends', async () => {
    const { app } = await start();
    const { registry } = app.get(JobMetrics, { strict: false });
    const scrape = async (name: string): Promise<readonly string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));
    expect(await scrape('elastic_job_tasks_launched_total')).toEqual([
      `elastic_job_tasks_launched_total{job="${JOB}"} 0`,
    ]);

    await fire(500);
    expect(await scrape('elastic_job_tasks{')).toContain(`elastic_job_tasks{job="${JOB}",state="QUEUED"} 2`);
    await clock.advance(1_000);
    expect(await scrape('elastic_job_tasks{')).toContain(`elastic_job_tasks{job="${JOB}",state="RUNNING"} 2`);
    tasks.end(placeOf(1), { name: 'DROPPED' });
    await clock.advance(WORK_MS);

    expect(await scrape('elastic_job_tasks{')).toEqual(
      ['STAGING', 'QUEUED', 'RUNNING', 'UNREACHABLE'].map(
        (state) => `elastic_job_tasks{job="${JOB}",state="${state}"} 0`,
      ),
    );
    expect(await scrape('elastic_job_task_ends_total')).toEqual([
      `elastic_job_task_ends_total{job="${JOB}",state="DROPPED"} 1`,
      `elastic_job_task_ends_total{job="${JOB}",state="FINISHED"} 1`,
    ]);
    expect(await scrape('elastic_job_tasks_l')).toEqual([
      `elastic_job_tasks_launched_total{job="${JOB}"} 2`,
      `elastic_job_tasks_lost_total{job="${JOB}"} 1`,
    ]);
    expect(await scrape('elastic_job_tasks_adopted')).toEqual([`elastic_job_tasks_adopted_total{job="${JOB}"} 0`]);
    const starts = 'elastic_job_task_start_seconds';
    expect(await scrape(`${starts}_bucket{le="0.5"`)).toEqual([`${starts}_bucket{le="0.5",job="${JOB}"} 0`]);
    expect(await scrape(`${starts}_bucket{le="2.5"`)).toEqual([`${starts}_bucket{le="2.5",job="${JOB}"} 2`]);
  });

  it('show if the backend answers', async () => {
    const { app } = await start();
    const { registry } = app.get(JobMetrics, { strict: false });
    expect(await registry.metrics()).toContain('elastic_job_task_backend_up{backend="memory"} 1');
    host.emit({ kind: 'disconnected', error: new Error('refused') });
    expect(await registry.metrics()).toContain('elastic_job_task_backend_up{backend="memory"} 0');
  });
});

describe('the health of a scheduler of tasks', () => {
  it('shows the backend, and the tasks followed here by state', async () => {
    const { app } = await start();
    const health = app.get(ElasticJobHealthIndicator, { strict: false });
    await fire(1_500);

    expect(health.tasks()).toEqual({
      elasticJobTasks: { status: 'up', backend: 'memory', tasks: { RUNNING: 2 }, mostTasks: null, reasons: [] },
    });
  });

  it('is degraded while the backend is silent, and its part is down after 30 s, until it answers', async () => {
    const { app } = await start();
    const health = app.get(ElasticJobHealthIndicator, { strict: false });
    host.emit({ kind: 'disconnected', error: new Error('connection refused') });
    await clock.advance(20_000);
    host.emit({ kind: 'disconnected', error: new Error('connection refused again') });

    expect(health.tasks().elasticJobTasks).toMatchObject({
      status: 'degraded',
      reasons: [
        expect.stringMatching(/^the task backend memory has not answered since 20.*Z: connection refused again$/),
      ],
    });
    await clock.advance(10_001);
    expect(health.tasks().elasticJobTasks?.status).toBe('down');
    expect(health.readiness().elasticJob?.status).toBe('degraded');
    expect(health.liveness().elasticJob?.status).toBe('up');

    host.emit({ kind: 'connected' });

    expect(health.tasks().elasticJobTasks?.status).toBe('up');
    expect(health.readiness().elasticJob?.status).toBe('up');
  });

  it('is degraded while a task cannot be reached, and names its item and the remedy', async () => {
    const { app } = await start();
    const health = app.get(ElasticJobHealthIndicator, { strict: false });
    await fire(1_500);
    tasks.unreachable(placeOf(1));
    await clock.advance(100);

    expect(health.readiness().elasticJob).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringMatching(/"settle-orders".* item 1 is UNREACHABLE since .*confirmLost/)],
    });
    expect(health.tasks().elasticJobTasks).toMatchObject({ status: 'degraded', tasks: { RUNNING: 1, UNREACHABLE: 1 } });

    tasks.reachable(placeOf(1));
    await clock.advance(100);

    expect(health.readiness().elasticJob?.status).toBe('up');
  });

  it('is up where nothing runs as tasks', async () => {
    const { app } = await startJobs({ clock, imports: [ElasticJobHealthModule], providers: [] });
    expect(app.get(ElasticJobHealthIndicator, { strict: false }).tasks()).toEqual({
      elasticJobTasks: { status: 'up', backend: null, tasks: {}, mostTasks: null, reasons: [] },
    });
  });
});

describe('the spans of tasks', () => {
  const exporter = new InMemorySpanExporter();
  const tracer = openTelemetryTracer({
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  });
  const EXECUTOR = 'scheduling.apache-elasticjob.executor';
  const item = (index: number) =>
    exporter
      .getFinishedSpans()
      .find(({ attributes }) => attributes['scheduling.apache-elasticjob.sharding.item.index'] === index)!;
  beforeEach(() => exporter.reset());

  it('show the task that has done the work of an item, and its end', async () => {
    tasks.script(JOB, async ({ envelope }) => {
      const { shardingItem } = JSON.parse(envelope);
      if (shardingItem === 1) return { name: 'FAILED', detail: 'exit code 3', exitCode: 3 };
      return undefined;
    });
    const { events } = await start({ tracer });
    await fire(1_000);

    const [id] = events.flatMap((event) =>
      event.kind === 'task-launched' && event.item === 0 ? [event.task.uid] : [],
    );
    expect(item(0).attributes).toMatchObject({
      [`${EXECUTOR}.backend`]: 'memory',
      [`${EXECUTOR}.task.id`]: id,
      [`${EXECUTOR}.launch`]: 1,
      [`${EXECUTOR}.adopted`]: false,
      [`${EXECUTOR}.state`]: 'FINISHED',
    });
    expect(item(1).attributes).toMatchObject({ [`${EXECUTOR}.state`]: 'FAILED', 'process.exit.code': 3 });
  });

  it('hand their context to the task, in its envelope and its order', async () => {
    const given: unknown[] = [];
    tasks.script(JOB, async ({ envelope, order }) => {
      const { shardingItem, traceparent } = JSON.parse(envelope);
      given[shardingItem] = [traceparent, order.traceparent];
    });
    await start({ tracer });
    await fire(1_000);

    const contexts = [0, 1].map((index) => item(index).spanContext());
    const named = contexts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
    expect(given).toEqual(named.map((traceparent) => [traceparent, traceparent]));
  });

  it('hand on nothing that a broken tracer invents, and change nothing in the run', async () => {
    const given: string[] = [];
    tasks.script(JOB, async ({ envelope }) => void given.push(envelope));
    const broken: RunTracer = {
      start: () => ({
        traceparent: undefined,
        begun: () => {},
        aroundItem: (_context, handle) => handle(),
        traceparentOf: (index) => (index === 0 ? 'a\0b' : raise()),
        task: raise,
        settled: () => {},
        ended: () => {},
      }),
    };
    const application = await start({ tracer: broken });
    await fire(1_000);

    expect(given).toHaveLength(2);
    expect(application.outcomes.map(([, { kind }]) => kind)).toEqual(['succeeded', 'succeeded']);
    expect(given.every((envelope) => !envelope.includes('traceparent'))).toBe(true);
  });
});

/** Functions of a backend that end a call in no way that its type allows. */
const MISBEHAVIOUR: Readonly<Record<string, () => any>> = {
  throws: () => {
    throw new Error('no supervisor');
  },
  rejects: () => Promise.reject(new Error('no supervisor')),
  'never settles': () => new Promise(() => {}),
};

describe('a backend that does not stop as it should', () => {
  it.each(Object.keys(MISBEHAVIOUR))('keeps no sink from storing its events, and is named, if it %s', async (how) => {
    const misbehave = MISBEHAVIOUR[how]!;
    const stored: string[] = [];
    const told: string[] = [];
    const sink: JobEventSink = {
      name: 'own',
      hear: (event) => void (event.kind === 'error' && told.push(event.message)),
      stop: async (signal) => {
        await clock.sleep(500, signal);
        stored.push('all');
      },
    };
    const application = await start({ tracing: [sink], drainTimeoutMs: 1_000 }, { stop: misbehave });
    const since = clock.monotonicNow();

    await whileTimePasses(clock, application.close());

    expect(stored).toEqual(['all']);
    expect(told).toEqual(['stopping the task backend memory failed']);
    expect(clock.monotonicNow() - since).toBeLessThanOrEqual(1_000 + 3_000);
  });

  it('is stopped also if its list of tasks never comes', async () => {
    const stop = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const list = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) });
    const application = await start({ drainTimeoutMs: 1_000 }, { stop, list });
    await clock.advance(20_000);

    await whileTimePasses(clock, application.close());

    expect(stop).toHaveBeenCalledOnce();
  });
});

describe('a backend that does not start', () => {
  it('refuses the start of the application after the time that a connection may take', async () => {
    const starting = start({}, { start: MISBEHAVIOUR['never settles']! });

    await expect(starting).rejects.toThrow(
      'ElasticJobCloudModule: the task backend memory has not started within 9000 ms',
    );
  });
});

function raise(): never {
  throw new Error('no tracer');
}
