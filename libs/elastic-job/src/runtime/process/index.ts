// Jobs of one process over one registry: start, sessions, stop; and the services that applications inject.
export * from './elastic-job-runtime.js';
export * from './job-registrar.js';
export type * from './runtime-status.js';
export * from './services.js';
