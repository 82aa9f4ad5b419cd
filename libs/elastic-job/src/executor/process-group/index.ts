/** Processes of their own, with all that they start: how they are begun, told to end and killed. */
export * from './inherited-environment.js';
export * from './output-tail.js';
export * from './process-group.js';
