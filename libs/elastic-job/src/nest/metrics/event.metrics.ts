import type { Counter } from 'prom-client';
import type { ExecutorDeathState, JobName, SettledOutcome, Trigger } from '../../domain/index.js';
import { type JobEvent, jobNameOf, OTHER_VALUES } from '../../tracing/index.js';
import { type JobLabels, JobSeries, SeriesOfJobs } from './job-series.js';
import type { MetricNameOf } from './metrics.catalogue.js';
import type { MetricSet } from './metric-set.js';

/** Metrics that have only the job as a label: they count events, or their items. */
const OF_JOB = {
  skipped: 'elastic_job_skipped_total',
  misfired: 'elastic_job_misfires_total',
  retrying: 'elastic_job_retries_total',
  claimed: 'elastic_job_failovers_total',
  orphaned: 'elastic_job_orphans_total',
  'failover-overflow': 'elastic_job_failover_overflows_total',
  hung: 'elastic_job_hung_total',
  'settle-delayed': 'elastic_job_delayed_settles_total',
  'mark-released': 'elastic_job_released_marks_total',
  resharded: 'elastic_job_reshardings_total',
  'leader-elected': 'elastic_job_elections_total',
  error: 'elastic_job_errors_total',
} as const satisfies Partial<Record<JobEvent['kind'], MetricNameOf<'counter'>>>;

/** Upper bounds of the histograms, in seconds. @default those of the catalogue */
export interface MetricBuckets {
  readonly lateness?: readonly number[];
  readonly duration?: readonly number[];
  readonly taskStart?: readonly number[];
}

/** Counts the events of jobs in this process. */
export class EventMetrics {
  private readonly series: SeriesOfJobs;
  private readonly executorDeaths;
  private readonly sessionChanges;
  private readonly historyDropped;
  private readonly errorHandlerFailures;
  private readonly ofJob: ReadonlyMap<string, Counter<'job'>>;
  /** States of executors that have died. */
  private readonly deaths = new Set<ExecutorDeathState>();

  constructor(
    metrics: MetricSet,
    private readonly jobs: JobLabels,
    buckets: MetricBuckets = {},
    /** Error handlers with a series each: a job's settings in the registry may name any other. */
    private readonly errorHandlerTypes: readonly string[] = [],
  ) {
    this.series = this.registerSeries(metrics, buckets);
    this.executorDeaths = metrics.counter('elastic_job_executor_deaths_total');
    this.sessionChanges = metrics.counter('elastic_job_session_changes_total');
    this.historyDropped = metrics.counter('elastic_job_history_dropped_total');
    this.errorHandlerFailures = metrics.counter('elastic_job_error_handler_failures_total');
    this.ofJob = new Map(Object.entries(OF_JOB).map(([kind, name]) => [kind, metrics.counter(name)]));
    jobs.onFreed((job) => this.forget(job));
  }

  receive(event: JobEvent): void {
    switch (event.kind) {
      case 'begun':
        return void (this.series.of(event.trigger.jobName).runs[event.trigger.source] += 1);
      case 'started':
        return this.started(event.trigger, event.latenessMs);
      case 'settled':
        return this.settled(event.trigger, event.outcome.kind, event.durationMs);
      case 'joined':
        return this.startAtZero(event.jobName);
      case 'session':
        return this.sessionChanges.inc({ state: event.state });
      case 'executor-died':
        return this.executorDied(event.trigger.jobName, event.state);
      case 'error-handler-failed':
        return this.errorHandlerFailures.inc({ job: this.jobs.of(event.jobName), type: this.typeOf(event.type) });
      case 'history-dropped':
        return this.historyDropped.inc({ sink: event.sink }, event.count);
      case 'unanswered':
        return this.countUnanswered(event.counts);
      default:
        return this.count(event);
    }
  }

  private forget(job: string): void {
    for (const counter of this.ofJob.values()) counter.remove({ job });
    for (const state of this.deaths) this.executorDeaths.remove({ job, state });
    for (const type of [...this.errorHandlerTypes, OTHER_VALUES]) this.errorHandlerFailures.remove({ job, type });
  }

  private executorDied(jobName: JobName, state: ExecutorDeathState): void {
    this.deaths.add(state);
    this.executorDeaths.inc({ job: this.jobs.of(jobName), state });
  }

  private started({ jobName, source }: Trigger, latenessMs: number | undefined): void {
    if (latenessMs !== undefined) this.series.of(jobName).lateness[source].add(latenessMs / 1_000);
  }

  private settled({ jobName }: Trigger, outcome: SettledOutcome['kind'], durationMs: number): void {
    const { items, durations } = this.series.of(jobName);
    items[outcome] += 1;
    durations.add(durationMs / 1_000);
  }

  private count(event: JobEvent): void {
    const counter = this.ofJob.get(event.kind);
    if (counter === undefined) return;
    const jobName = jobNameOf(event);
    const job = jobName === undefined ? '' : this.jobs.of(jobName);
    counter.inc({ job }, 'items' in event ? event.items.length : 1);
  }

  private countUnanswered(counts: ReadonlyMap<JobName, number>): void {
    for (const [jobName, count] of counts)
      this.ofJob.get('error')!.inc({ job: jobName && this.jobs.of(jobName) }, count);
  }

  private typeOf(type: string): string {
    return this.errorHandlerTypes.includes(type) ? type : OTHER_VALUES;
  }

  /** Starts at zero, because `increase()` needs a sample before the first event. */
  private startAtZero(jobName: JobName): void {
    const { job } = this.series.of(jobName);
    for (const counter of this.ofJob.values()) counter.inc({ job }, 0);
  }

  private registerSeries(metrics: MetricSet, buckets: MetricBuckets): SeriesOfJobs {
    // The first metric that a scrape reads.
    const scrape = () => this.jobs.scrape();
    const lateness = metrics.histogram('elastic_job_lateness_seconds', buckets.lateness, scrape);
    const durations = metrics.histogram('elastic_job_item_duration_seconds', buckets.duration);
    const series = new SeriesOfJobs(this.jobs, (job) => new JobSeries(job, lateness, durations));
    this.jobs.onFreed((job) => {
      series.forget(job);
      for (const histogram of [lateness, durations]) histogram.forget(job);
    });
    metrics.counter('elastic_job_runs_total', (counter) => {
      counter.reset();
      for (const { job, runs } of series)
        for (const [source, count] of Object.entries(runs)) counter.inc({ job, source }, count);
    });
    metrics.counter('elastic_job_items_total', (counter) => {
      counter.reset();
      for (const { job, items } of series)
        for (const [outcome, count] of Object.entries(items)) counter.inc({ job, outcome }, count);
    });
    return series;
  }
}
