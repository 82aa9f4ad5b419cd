// The jobs of a namespace as an operator sees them: an index of all of them that is read in rounds, and the jobs that
// are open in views of their own.
export { JobIndex, type JobIndexParts } from './job-index.js';
export type { OpenJob } from './open-job.js';
