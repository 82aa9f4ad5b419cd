/**
 * Spans of the runs on this instance, through `@opentelemetry/api` alone. The application chooses an SDK that exports
 * them; without an SDK nothing is created, written or kept.
 *
 * - One span for each run (the items that this instance has begun together), and in it one for each item that was
 *   started.
 * - A handler runs in the context of its item's span: its own spans are children of that.
 * - The run's span context stands in the records of its items. The instance that repeats a crashed run links its spans
 *   to it, without a trace store, and without an additional request.
 */
export { openTelemetryTracer, type OpenTelemetryOptions } from './open-telemetry-tracer.js';
export {
  SPAN_ATTRIBUTES,
  type SpanAttribute,
  type SpanAttributeName,
  SPANS,
  type TracedPart,
} from './spans.catalogue.js';
