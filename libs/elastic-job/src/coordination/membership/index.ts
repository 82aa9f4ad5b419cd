// Instances and servers of a job: joining, leaving, and how long they have been missing.
export * from './absences.js';
export * from './instances.js';
export * from './servers.js';
