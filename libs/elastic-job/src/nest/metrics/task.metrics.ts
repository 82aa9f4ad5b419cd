import type { Counter } from 'prom-client';
import { isLiveTaskState, LIVE_TASK_STATES, type TaskBackendStatus } from '../../domain/index.js';
import type { JobEvent } from '../../tracing/index.js';
import type { JobLabels } from './job-series.js';
import type { MetricNameOf } from './metrics.catalogue.js';
import type { MetricSet } from './metric-set.js';

/** Events that are counted with the job as the only label. */
const OF_JOB = {
  'task-launched': 'elastic_job_tasks_launched_total',
  'task-adopted': 'elastic_job_tasks_adopted_total',
  'task-lost': 'elastic_job_tasks_lost_total',
} as const satisfies Partial<Record<JobEvent['kind'], MetricNameOf<'counter'>>>;

/** Metrics of the tasks that this instance follows: their present states, and their events. */
export class TaskMetrics {
  private readonly starts;
  private readonly ends;
  private readonly ofJob: ReadonlyMap<string, Counter<'job'>>;
  /** Jobs whose tasks a scrape has shown. */
  private readonly seen = new Set<string>();
  /** States in which tasks have ended. */
  private readonly ended = new Set<string>();

  /** @param backend read at each scrape; undefined if nothing runs as tasks */
  constructor(
    metrics: MetricSet,
    private readonly jobs: JobLabels,
    private readonly backend: () => TaskBackendStatus | undefined,
    buckets?: readonly number[],
  ) {
    this.starts = metrics.histogram('elastic_job_task_start_seconds', buckets);
    this.ends = metrics.counter('elastic_job_task_ends_total');
    this.ofJob = new Map(Object.entries(OF_JOB).map(([kind, name]) => [kind, metrics.counter(name)]));
    this.registerGauges(metrics);
    jobs.onFreed((job) => this.forget(job));
  }

  receive(event: JobEvent): void {
    if (event.kind === 'joined' && this.backend() !== undefined) {
      // Starts at zero, because `increase()` needs a sample before the first event.
      for (const counter of this.ofJob.values()) counter.inc({ job: this.jobs.of(event.jobName) }, 0);
    }
    if (!('task' in event)) return;
    const job = this.jobs.of(event.jobName);
    this.ofJob.get(event.kind)?.inc({ job });
    if (event.kind !== 'task-state') return;
    const { startedAfterMs, state } = event;
    if (startedAfterMs !== undefined) this.starts.of({ job }).add(startedAfterMs / 1_000);
    if (isLiveTaskState(state)) return;
    this.ended.add(state);
    this.ends.inc({ job, state });
  }

  private forget(job: string): void {
    this.seen.delete(job);
    this.starts.forget(job);
    for (const counter of this.ofJob.values()) counter.remove({ job });
    for (const state of this.ended) this.ends.remove({ job, state });
  }

  private registerGauges(metrics: MetricSet): void {
    metrics.gauge('elastic_job_tasks', (gauge) => {
      gauge.reset();
      const tasks = this.backend()?.tasks ?? [];
      for (const { jobName } of tasks) this.seen.add(this.jobs.of(jobName));
      for (const job of this.seen) for (const state of LIVE_TASK_STATES) gauge.set({ job, state }, 0);
      for (const { jobName, state } of tasks)
        if (isLiveTaskState(state)) gauge.inc({ job: this.jobs.of(jobName), state });
    });
    metrics.gauge('elastic_job_task_backend_up', (gauge) => {
      const backend = this.backend();
      if (backend !== undefined) gauge.set({ backend: backend.name }, backend.failingSince === undefined ? 1 : 0);
    });
  }
}
