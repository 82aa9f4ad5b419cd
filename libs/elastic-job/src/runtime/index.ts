// Runs jobs over their sessions, in layers that each know those below it: process, job, session, duties, leases.
export type { JobDefinition, JobTemplate } from './settings/index.js';
export type { JobStatus } from './job/index.js';
export type { RuntimeOptions } from './settings/index.js';
export * from './process/index.js';
