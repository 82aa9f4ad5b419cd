import { publicCalls } from '../../async-context/index.js';
import { Registry } from 'prom-client';
import { sharedClass } from '../../copies/index.js';
import type { TaskBackendStatus } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { EventMetrics, type MetricBuckets } from './event.metrics.js';
import { MetricSet } from './metric-set.js';
import { type MeteredParts, registerStatusMetrics } from './status.metrics.js';
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
      counted.hear(event);
      tasks.hear(event);
    });
  }
}
