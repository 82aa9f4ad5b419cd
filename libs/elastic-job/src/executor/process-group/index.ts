/** Child processes with everything that they start: start, end and kill. */
export * from './inherited-environment.js';
export * from './output-tail.js';
export * from './process-group.js';
