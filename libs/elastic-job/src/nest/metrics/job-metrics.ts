import { Registry } from 'prom-client';
import { sharedClass } from '../../copies/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { EventMetrics, type MetricBuckets } from './event.metrics.js';
import { MetricSet } from './metric-set.js';
import { type MeteredParts, registerStatusMetrics } from './status.metrics.js';

/** What the metrics of one application are made with. */
interface JobMetricsParts extends MeteredParts {
  readonly events: JobEvents;
  /** @default a registry of its own */
  readonly into?: Registry;
  readonly buckets?: MetricBuckets;
  /** The types of the process's own error handlers, in upper case. @default [] */
  readonly errorHandlerTypes?: readonly string[];
}

/** The metrics of one application, from now on. */
@sharedClass('JobMetrics')
export class JobMetrics {
  /** Where they are registered. */
  readonly registry: Registry;

  /**
   * @internal
   * @throws {ConfigurationError} if the registry has metrics of these names
   */
  constructor({ events, into = new Registry(), buckets, errorHandlerTypes, ...parts }: JobMetricsParts) {
    this.registry = into;
    const metrics = new MetricSet(into);
    const counted = new EventMetrics(metrics, parts.jobs, parts.clock, buckets, errorHandlerTypes);
    registerStatusMetrics(metrics, parts);
    events.on((event) => counted.hear(event));
  }
}
