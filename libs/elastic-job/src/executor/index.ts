// Runs the items of a lease on this instance: concurrency, retries, time limits, listeners, job types, error handlers.
export * from './error-handling/index.js';
export * from './executable-job.js';
export { type HttpFailure, HttpJobError, HttpJobType } from './http/http.job-type.js';
export * from './isolation.js';
export { JobExecutor } from './job-executor.js';
export { dataflowHandler, findDataflowFaults, isDataflow, resolveWork, workOfType } from './job-work.js';
export { JobListeners } from './listeners.js';
export * from './process-group.js';
export type { RetriedItem } from './attempts.js';
