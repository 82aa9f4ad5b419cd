import { context, INVALID_TRACEID, ROOT_CONTEXT, trace, type TracerProvider } from '@opentelemetry/api';
import type { RunTracer, Trigger } from '../../domain/index.js';
import { LabelValues } from '../label-values.js';
import { OpenTelemetryRunTrace } from './open-telemetry-run-trace.js';
import { parseTraceparent } from './traceparent.js';

const SCOPE = 'nestjs-elastic-job';
const MOST_ERROR_TYPES = 100;

/** Where the spans go. */
export interface OpenTelemetryOptions {
  /** @default the one that is registered globally, by then or later */
  readonly tracerProvider?: TracerProvider;
}

/**
 * Makes spans of the runs on this instance: `ElasticJobModule.forRoot({ tracer: openTelemetryTracer() })`. For a
 * handler's own spans to hang below them, a context manager has to be registered, as every SDK for Node does.
 */
export function openTelemetryTracer({ tracerProvider = trace }: OpenTelemetryOptions = {}): RunTracer {
  const tracer = tracerProvider.getTracer(SCOPE);
  const errorTypes = new LabelValues(MOST_ERROR_TYPES);
  return {
    start: (trigger: Trigger) => {
      // A trace of its own: whatever was traced as the job was registered has not asked for this run.
      const span = tracer.startSpan(`run ${trigger.jobName}`, { root: true }, ROOT_CONTEXT);
      // Nobody has registered an SDK: nothing to follow.
      if (span.spanContext().traceId === INVALID_TRACEID) return undefined;
      return new OpenTelemetryRunTrace(tracer, span, trigger, errorTypes);
    },
    within: (traceparent, handle) => {
      const item = parseTraceparent(traceparent);
      return item === undefined ? handle() : context.with(trace.setSpanContext(context.active(), item), handle);
    },
  };
}
