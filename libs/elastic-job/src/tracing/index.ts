// The events of jobs, and the sinks that receive them. Answers nobody: no job waits for an event or fails by one.
export * from './event-sinks.js';
export type * from './execution-event.js';
export * from './guarded-run-tracer.js';
export type * from './job-event.js';
export * from './job-event.catalogue.js';
export type * from './job-history.js';
export { JobEvents } from './job-events.js';
export * from './label-values.js';
export * from './run-history.js';
export type * from './trace-query.js';
