// The ground of the runtime: the settings and the time that a job goes by, whether it may begin something now, and the
// leases that it begins and runs. Knows neither what asks for a run nor who leads.
export * from './job-context.js';
export * from './job-news.js';
export * from './job-schedule.js';
export * from './job-settings.js';
export * from './late-runs.js';
export * from './lease-runner.js';
export * from './noted-span.js';
export * from './reaction.js';
export * from './running-items.js';
export * from './runtime-options.js';
export * from './schedule-clock.js';
export * from './trigger-gate.js';
