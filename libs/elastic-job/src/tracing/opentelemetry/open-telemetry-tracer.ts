import { context, INVALID_TRACEID, ROOT_CONTEXT, trace, type TracerProvider } from '@opentelemetry/api';
import { having, type OptionRow, OptionTable, type RunTracer, type Trigger } from '../../domain/index.js';
import { LabelValues } from '../label-values.js';
import { OpenTelemetryRunTrace } from './open-telemetry-run-trace.js';
import { parseTraceparent } from './traceparent.js';

const SCOPE = 'nestjs-elastic-job';
const MOST_ERROR_TYPES = 100;

/** Destination of the spans. */
export interface OpenTelemetryOptions {
  /** Provider that makes the tracer. @default the globally registered one, also if it is registered later */
  readonly tracerProvider?: TracerProvider;
}

const TABLE = new OptionTable(
  { tracerProvider: { rule: having('a TracerProvider', 'getTracer') } } satisfies Readonly<
    Record<keyof OpenTelemetryOptions, OptionRow>
  >,
  'the tracer',
);

/**
 * Creates spans for the runs on this instance: `ElasticJobModule.forRoot({ tracer: openTelemetryTracer() })`. For a
 * handler's own spans to become their children, a context manager must be registered, as every SDK for Node does.
 * @throws {ConfigurationError} for wrong and unknown options
 */
export function openTelemetryTracer(input: OpenTelemetryOptions = {}): RunTracer {
  const { tracerProvider = trace } = TABLE.checked('openTelemetryTracer', input);
  const tracer = tracerProvider.getTracer(SCOPE);
  const errorTypes = new LabelValues(MOST_ERROR_TYPES);
  return {
    start: (trigger: Trigger) => {
      // A trace of its own: the context in which the job was registered has nothing to do with this run.
      const span = tracer.startSpan(`run ${trigger.jobName}`, { root: true }, ROOT_CONTEXT);
      // No SDK is registered, so there is nothing to follow.
      if (span.spanContext().traceId === INVALID_TRACEID) return undefined;
      return new OpenTelemetryRunTrace(tracer, span, trigger, errorTypes);
    },
    within: (traceparent, handle) => {
      const item = parseTraceparent(traceparent);
      return item === undefined ? handle() : context.with(trace.setSpanContext(context.active(), item), handle);
    },
  };
}
