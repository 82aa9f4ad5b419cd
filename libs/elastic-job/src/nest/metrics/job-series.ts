import type { Histogram } from 'prom-client';
import type { ExecutionSource, JobName, SettledOutcome } from '../../domain/index.js';
import type { LabelValues } from '../../tracing/index.js';

type Outcome = SettledOutcome['kind'];

/** So many values of a job wait for the next scrape; then they are handed over at once, so that memory is bounded. */
const MOST_WAITING = 1_000;

/**
 * What is counted in every run of one job. prom-client finds a series by a text that it makes of all its labels, each
 * time: that is more than a run may pay for. Counts are kept here and read as they are scraped; values wait, and are
 * handed over together.
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

/** Values of one series that its histogram has yet to see. */
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

/** The series of all jobs that are told apart, and one for the others. */
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
