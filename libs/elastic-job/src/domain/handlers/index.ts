// Plug-ins of an application around the runs of its jobs: job types, error handlers, listeners, tracers and redaction,
// with the props that they read.
export * from './error-handler.js';
export * from './failure-collapse.decision.js';
export * from './job-props.js';
export * from './job-template.js';
export type * from './job-type.js';
export * from './listener.js';
export * from './prop-targets.js';
export * from './redaction.js';
export type * from './run-tracer.js';
