import type { Metric, Registry } from 'prom-client';
import type { ExecutionSource, JobName, SettledOutcome } from '../../domain/index.js';
import { LabelValues, OTHER_VALUES } from '../../tracing/index.js';

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

/** Values of one series, counted by bucket. */
class SeriesCounts {
  sum = 0;
  /** Number of values in each bucket, and last of those above all bounds. */
  readonly buckets: number[];

  constructor(private readonly bounds: readonly number[]) {
    this.buckets = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  add(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
    this.buckets[bucket]! += 1;
    this.sum += value;
  }
}

interface Series<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly counts: SeriesCounts;
}

/** Line of a scrape. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * A histogram in a prom-client registry that every run updates. prom-client's own one finds a series by a text of all
 * its labels for each value, which is too expensive for each run. Here a caller holds its series.
 * @see prom-client, `Registry`: it asks a metric for its name and its samples (`get`), and may `reset` it
 */
export class SeriesHistogram<Label extends string> {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  private readonly series = new Map<string, Series<Label>>();

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly bounds: readonly number[],
    registry: Registry,
    private readonly collect: () => void = () => {},
  ) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type allows only prom-client's own classes
    registry.registerMetric(this as unknown as Metric);
  }

  /** The series of these labels, which is shown once it has a value. The same labels always have the same series. */
  of(labels: Readonly<Record<Label, string>>): SeriesCounts {
    const key = Object.values(labels).join('\0');
    let known = this.series.get(key);
    if (known === undefined) {
      known = { labels, counts: new SeriesCounts(this.bounds) };
      this.series.set(key, known);
    }
    return known.counts;
  }

  /** The samples of a scrape, in prom-client's form. */
  async get() {
    this.collect();
    const { name, help, type, aggregator } = this;
    const values = [...this.series.values()].flatMap((series) => this.samplesOf(series));
    return { name, help, type, aggregator, values };
  }

  /** Drops the series of a job. A holder of one of them no longer changes what a scrape shows. */
  forget(job: string): void {
    for (const [key, { labels }] of this.series) if (Reflect.get(labels, 'job') === job) this.series.delete(key);
  }

  /** Sets all series to zero. */
  reset(): void {
    for (const { counts } of this.series.values()) {
      counts.buckets.fill(0);
      counts.sum = 0;
    }
  }

  private samplesOf({ labels, counts: { buckets, sum } }: Series<Label>): Sample[] {
    let count = 0;
    const ofBuckets = buckets.map((inBucket, bucket): Sample => {
      count += inBucket;
      const le = this.bounds[bucket] ?? '+Inf';
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: count };
    });
    if (count === 0) return [];
    const total = (suffix: string, value: number) => ({ metricName: `${this.name}_${suffix}`, labels, value });
    return [...ofBuckets, total('sum', sum), total('count', count)];
  }
}

/**
 * Labels of this process's jobs, up to a limit. A label is freed, with all series that have it, once its job has left
 * the process for good and a scrape has shown the last values: created jobs come and go without end.
 */
export class JobLabels implements Pick<LabelValues, 'of'> {
  private readonly labels: LabelValues;
  /** Jobs that have left, whose last values a scrape has shown. */
  private shown = new Set<JobName>();
  private readonly freed: ((job: string) => void)[] = [];

  /** @param isHere true for a job of which items may run in this process */
  constructor(
    limit: number,
    private readonly isHere: (jobName: JobName) => boolean,
  ) {
    this.labels = new LabelValues(limit);
  }

  /** The job's name, or `other` beyond the limit and for jobs of other processes. */
  of(jobName: JobName): string {
    return this.labels.has(jobName) || this.isHere(jobName) ? this.labels.of(jobName) : OTHER_VALUES;
  }

  /** Calls back with each label that is freed. */
  onFreed(listener: (job: string) => void): void {
    this.freed.push(listener);
  }

  /** Must be called when a scrape begins. */
  scrape(): void {
    const gone = [...this.labels].filter((jobName) => !this.isHere(jobName));
    for (const jobName of gone.filter((one) => this.shown.has(one))) {
      this.labels.release(jobName);
      for (const listener of this.freed) listener(jobName);
    }
    this.shown = new Set(gone);
  }
}
