export * from './elastic-job-runtime.js';
export type * from './job-definition.js';
export * from './job-registrar.js';
export type { RuntimeOptions } from './runtime-options.js';
export type * from './runtime-status.js';
export * from './services/index.js';
