// The jobs of a namespace as an operator sees them: an index of all of them that is read in rounds, the jobs that are
// open in views of their own, and the streams that tell of changes.
export { JobIndex } from './job-index.js';
export { LiveStreams } from './live-streams.js';
export { RunErrors } from './run-errors.js';
