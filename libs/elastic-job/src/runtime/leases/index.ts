// Ground layer of the runtime: a job's settings and time, the gate that decides if something may begin, and the leases
// that it begins and runs. It knows neither the sources of runs nor the leader.
export type * from './job-context.js';
export type * from './job-news.js';
export * from './job-reconciler.js';
export * from './job-schedule.js';
export * from './job-settings.js';
export * from './late-runs.js';
export * from './job-work.js';
export * from './lease-begins.js';
export * from './lease-listeners.js';
export * from './lease-runner.js';
export * from './noted-span.js';
export * from './punctuality.js';
export * from './run-reports.js';
export * from './running-items.js';
export * from './runtime-options.js';
export * from './schedule-clock.js';
export * from './settings-news.js';
export * from './trigger-gate.js';
export * from './work-errors.js';
