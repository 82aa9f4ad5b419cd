import { Counter, Gauge, type Registry } from 'prom-client';
import { ConfigurationError } from '../../domain/index.js';
import { type LabelOf, type MetricName, type MetricNameOf, METRICS } from './metrics.catalogue.js';
import { SeriesHistogram } from './job-series.js';

/** Makes the metrics of the catalogue in one registry. */
export class MetricSet {
  /** @throws {ConfigurationError} if the registry has metrics of these names, for example of another application */
  constructor(private readonly registry: Registry) {
    const taken = Object.keys(METRICS).filter((name) => registry.getSingleMetric(name) !== undefined);
    if (taken.length === 0) return;
    throw new ConfigurationError('ElasticJobMetricsModule', [
      `registry has ${taken.join(', ')} already; give each application a registry of its own`,
    ]);
  }

  counter<Name extends MetricNameOf<'counter'>>(name: Name, collect?: (counter: Counter<LabelOf<Name>>) => void) {
    const counter: Counter<LabelOf<Name>> = new Counter<LabelOf<Name>>({
      ...this.common<Name>(name),
      ...(collect && { collect: () => collect(counter) }),
    });
    return counter;
  }

  /** @param collect sets the gauge at each scrape */
  gauge<Name extends MetricNameOf<'gauge'>>(name: Name, collect: (gauge: Gauge<LabelOf<Name>>) => void) {
    const gauge: Gauge<LabelOf<Name>> = new Gauge<LabelOf<Name>>({
      ...this.common<Name>(name),
      collect: () => collect(gauge),
    });
    return gauge;
  }

  /**
   * @param buckets upper bounds in seconds, instead of the catalogue's
   * @param collect called before each scrape reads it
   */
  histogram<Name extends MetricNameOf<'histogram'>>(
    name: Name,
    buckets: readonly number[] = METRICS[name].buckets,
    collect?: () => void,
  ) {
    return new SeriesHistogram<LabelOf<Name>>(name, METRICS[name].help, buckets, this.registry, collect);
  }

  private common<Name extends MetricName>(name: Name) {
    const { help, labels }: { help: string; labels: readonly LabelOf<Name>[] } = METRICS[name];
    return { name, help, labelNames: labels, registers: [this.registry] };
  }
}
