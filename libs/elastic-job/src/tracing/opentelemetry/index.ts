/**
 * Spans of the runs on this instance, by `@opentelemetry/api` alone: which SDK exports them, and whether any does, is
 * the application's choice. Without one nothing is made, written or kept.
 *
 * - One span for each run (the items that this instance has begun together), and in it one for each item that was
 *   started.
 * - A handler runs in the context of its item's span: what it traces itself hangs below that.
 * - The run's span context stands in the records of its items. Who repeats a crashed run links its spans to it, without
 *   asking a trace store, and without a request more than the begin makes anyway.
 */
export { openTelemetryTracer, type OpenTelemetryOptions } from './open-telemetry-tracer.js';
export {
  SPAN_ATTRIBUTES,
  type SpanAttribute,
  type SpanAttributeName,
  SPANS,
  type TracedPart,
} from './spans.catalogue.js';
