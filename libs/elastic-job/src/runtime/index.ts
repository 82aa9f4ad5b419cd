// Runs jobs over their sessions, in layers that each know those below it: process, job, session, duties, leases.
export type { JobDefinition, JobStatus, JobTemplate } from './job/index.js';
export type { RuntimeOptions } from './leases/index.js';
export * from './process/index.js';
