import type { Histogram } from 'prom-client';
import type { ExecutionSource, JobName, SettledOutcome } from '../../domain/index.js';
import type { LabelValues } from '../../tracing/index.js';

type Outcome = SettledOutcome['kind'];

/**
 * Most values of a job that wait for the next scrape. At this number they are observed at once, so that memory is
 * bounded.
 */
const MOST_WAITING = 1_000;

/**
 * Series of one job that every run updates. prom-client finds a series by a text of all its labels, which is too
 * expensive for each run. So counts are kept here and read at each scrape, and values are collected and observed
 * together.
 */
export class JobSeries {
  readonly runs: Record<ExecutionSource, number> = { NORMAL_TRIGGER: 0, MISFIRE: 0, FAILOVER: 0 };
  readonly items: Record<Outcome, number> = { succeeded: 0, failed: 0, aborted: 0, fenced: 0 };
  readonly lateness: Readonly<Record<ExecutionSource, WaitingValues>>;
  readonly durations: WaitingValues;

  constructor(
    readonly job: string,
    lateness: Histogram<'job' | 'source'>,
    durations: Histogram<'job'>,
  ) {
    const late = (source: ExecutionSource) => new WaitingValues((value) => lateness.observe({ job, source }, value));
    this.lateness = { NORMAL_TRIGGER: late('NORMAL_TRIGGER'), MISFIRE: late('MISFIRE'), FAILOVER: late('FAILOVER') };
    this.durations = new WaitingValues((value) => durations.observe({ job }, value));
  }
}

/** Values of one series that its histogram has not observed yet. */
class WaitingValues {
  private values: number[] = [];

  constructor(private readonly observe: (value: number) => void) {}

  add(value: number): void {
    if (this.values.push(value) >= MOST_WAITING) this.handOver();
  }

  handOver(): void {
    const { values } = this;
    this.values = [];
    for (const value of values) this.observe(value);
  }
}

/** A series for each job that is told apart, and one for all others. */
export class SeriesOfJobs {
  private readonly series = new Map<string, JobSeries>();

  constructor(
    private readonly labels: LabelValues,
    private readonly create: (job: string) => JobSeries,
  ) {}

  of(jobName: JobName): JobSeries {
    const job = this.labels.of(jobName);
    let series = this.series.get(job);
    if (series === undefined) {
      series = this.create(job);
      this.series.set(job, series);
    }
    return series;
  }

  *[Symbol.iterator](): IterableIterator<JobSeries> {
    yield* this.series.values();
  }
}
