import { Registry } from 'prom-client';
import { publicCalls } from '../../async-context/index.js';
import type { Clock } from '../../clock/index.js';
import { sharedClass } from '../../copies/index.js';
import type { TaskBackendStatus } from '../../domain/index.js';
import type { RegistryCenter, SessionState } from '../../registry/index.js';
import type { ElasticJobRuntime, JobStatus, RuntimeStatus } from '../../runtime/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { EventMetrics, type MetricBuckets } from './event.metrics.js';
import type { JobLabels } from './job-series.js';
import { MetricSet } from './metric-set.js';
import type { MetricNameOf } from './metrics.catalogue.js';
import { TaskMetrics } from './task.metrics.js';

/** Parts from which the metrics of one application are made. */
interface JobMetricsParts extends MeteredParts {
  readonly events: JobEvents;
  /** @default a registry of its own */
  readonly into?: Registry;
  readonly buckets?: MetricBuckets;
  /** The types of the process's own error handlers, in upper case. @default [] */
  readonly errorHandlerTypes?: readonly string[];
  /** The backend of tasks as it is now. @default there is none */
  readonly backend?: () => TaskBackendStatus | undefined;
}

/** Metrics of one application, counted from its construction on. */
@sharedClass('JobMetrics')
@publicCalls()
export class JobMetrics {
  /** Registry that holds them. */
  readonly registry: Registry;

  /**
   * @internal
   * @throws {ConfigurationError} if the registry has metrics of these names
   */
  constructor(given: JobMetricsParts) {
    const { events, backend = () => undefined, buckets, errorHandlerTypes, into = new Registry(), ...parts } = given;
    this.registry = into;
    const metrics = new MetricSet(into);
    const counted = new EventMetrics(metrics, parts.jobs, buckets, errorHandlerTypes);
    const tasks = new TaskMetrics(metrics, parts.jobs, backend, buckets?.taskStart);
    registerStatusMetrics(metrics, parts);
    events.on((event) => {
      counted.receive(event);
      tasks.receive(event);
    });
  }
}

const SESSION_STATES: readonly SessionState[] = ['CONNECTED', 'SUSPENDED', 'RECONNECTED', 'LOST'];

/** Sources of the metrics at each scrape; read from memory, without requests. */
interface MeteredParts {
  readonly runtime: ElasticJobRuntime;
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly jobs: JobLabels;
}

/** Registers the metrics that a scrape reads from the runtime and its registry. */
function registerStatusMetrics(metrics: MetricSet, parts: MeteredParts): void {
  const { registry, runtime, jobs } = parts;
  const status = oncePerTurn(() => runtime.status());
  metrics.counter('elastic_job_registry_requests_total', (counter) => {
    const { foreground, background } = registry.traffic;
    counter.reset();
    counter.inc({ kind: 'foreground' }, foreground);
    counter.inc({ kind: 'background' }, background);
  });
  metrics.counter('elastic_job_missed_total', (counter) => {
    counter.reset();
    for (const { jobName, missedRuns } of status().jobs) counter.inc({ job: jobs.of(jobName) }, missedRuns);
  });
  metrics.gauge('elastic_job_session_state', (gauge) => {
    for (const state of SESSION_STATES) gauge.set({ state }, registry.session.state === state ? 1 : 0);
  });
  registerJobGauges(metrics, parts, status);
}

function registerJobGauges(metrics: MetricSet, { clock, jobs }: MeteredParts, status: () => RuntimeStatus): void {
  const ofJob = (
    name: Exclude<
      MetricNameOf<'gauge'>,
      'elastic_job_session_state' | 'elastic_job_tasks' | 'elastic_job_task_backend_up'
    >,
    value: (job: JobStatus) => number,
  ) =>
    metrics.gauge(name, (gauge) => {
      gauge.reset();
      // Values of jobs that share a label are summed.
      for (const job of status().jobs) gauge.inc({ job: jobs.of(job.jobName) }, value(job));
    });
  ofJob('elastic_job_joined', ({ isJoined }) => Number(isJoined));
  ofJob('elastic_job_disabled', ({ isDisabled }) => Number(isDisabled));
  ofJob('elastic_job_leader_known', ({ leader }) => Number(leader !== undefined));
  ofJob('elastic_job_parents_away', ({ awayParents }) => awayParents?.length ?? 0);
  ofJob('elastic_job_running_items', ({ runningItems }) => runningItems);
  ofJob('elastic_job_owned_items', ({ ownedItems }) => ownedItems);
  ofJob('elastic_job_disabled_items', ({ disabledItems }) => disabledItems);
  ofJob('elastic_job_failing_seconds', ({ failingForMs }) => failingForMs / 1_000);
  ofJob('elastic_job_failover_queue_items', ({ queuedItems }) => queuedItems);
  ofJob('elastic_job_hung_items', ({ hung }) => hung.length);
  ofJob('elastic_job_unrecorded_items', ({ delayedSettles }) => delayedSettles?.items.length ?? 0);
  const secondsSince = (at = Infinity) => Math.max(0, clock.wallNow() - at) / 1_000;
  ofJob('elastic_job_refused_seconds', ({ refused }) => secondsSince(refused?.since));
  ofJob('elastic_job_schedule_lag_seconds', ({ nextFireTime }) => secondsSince(nextFireTime));
}

/** Reads a value once for all that ask in the same turn, as prom-client collects all metrics of a scrape. */
function oncePerTurn<Value extends object>(read: () => Value): () => Value {
  let known: Value | undefined;
  return () => {
    if (known !== undefined) return known;
    queueMicrotask(() => (known = undefined));
    return (known = read());
  };
}
