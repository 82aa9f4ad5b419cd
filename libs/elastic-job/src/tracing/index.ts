export type * from './event-sink.js';
export * from './event-sinks.js';
export * from './guarded-run-tracer.js';
export type * from './job-event.js';
export * from './job-event.catalogue.js';
export * from './job-events.js';
export * from './label-values.js';
export * from './named-event.js';
export * from './tracing-store.js';
