export * from './elastic-job-runtime.js';
export * from './failover.service.js';
export type * from './job-definition.js';
export * from './job-registrar.js';
export type { RuntimeOptions } from './runtime-options.js';
export type * from './runtime-status.js';
