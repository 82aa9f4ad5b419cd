// Plug-ins of an application around the runs of its jobs: job types, error handlers, listeners, tracers and redaction,
// with the props that they read.
export * from './error-handler.js';
export * from './failure-collapse.decision.js';
export * from './faults-of.js';
export * from './find-unshareable-listeners.js';
export * from './job-template.js';
export type * from './job-type.js';
export * from './listener.js';
export * from './prop-targets.js';
export * from './props-reader.js';
export * from './redaction.js';
export type * from './run-tracer.js';
export * from './template-limits.js';
