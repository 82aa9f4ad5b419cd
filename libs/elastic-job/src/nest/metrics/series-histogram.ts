import type { Metric, Registry } from 'prom-client';

/** Values of one series, counted by bucket. */
export class SeriesCounts {
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
