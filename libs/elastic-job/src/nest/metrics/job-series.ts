import type { ExecutionSource, JobName, SettledOutcome } from '../../domain/index.js';
import type { LabelValues } from '../../tracing/index.js';
import type { SeriesCounts, SeriesHistogram } from './series-histogram.js';

type Outcome = SettledOutcome['kind'];

/** Series of one job that every run updates. They are read at each scrape. */
export class JobSeries {
  readonly runs: Record<ExecutionSource, number> = { NORMAL_TRIGGER: 0, MISFIRE: 0, FAILOVER: 0 };
  readonly items: Record<Outcome, number> = { succeeded: 0, failed: 0, aborted: 0, fenced: 0 };
  readonly lateness: Readonly<Record<ExecutionSource, SeriesCounts>>;
  readonly durations: SeriesCounts;

  constructor(
    readonly job: string,
    lateness: SeriesHistogram<'job' | 'source'>,
    durations: SeriesHistogram<'job'>,
  ) {
    const late = (source: ExecutionSource) => lateness.of({ job, source });
    this.lateness = { NORMAL_TRIGGER: late('NORMAL_TRIGGER'), MISFIRE: late('MISFIRE'), FAILOVER: late('FAILOVER') };
    this.durations = durations.of({ job });
  }
}

/** A series for each job that is told apart, and one for all others. */
export class SeriesOfJobs {
  private readonly series = new Map<string, JobSeries>();

  constructor(
    private readonly labels: Pick<LabelValues, 'of'>,
    private readonly create: (job: string) => JobSeries,
  ) {}

  of(jobName: JobName): JobSeries {
    // A job that is told apart is its own label.
    return this.series.get(jobName) ?? this.ofLabel(this.labels.of(jobName));
  }

  forget(job: string): void {
    this.series.delete(job);
  }

  *[Symbol.iterator](): IterableIterator<JobSeries> {
    yield* this.series.values();
  }

  private ofLabel(job: string): JobSeries {
    let series = this.series.get(job);
    if (series === undefined) {
      series = this.create(job);
      this.series.set(job, series);
    }
    return series;
  }
}
