// Runs in tasks of their own: the port of a backend, the order for a task, and its end. A transient Cloud job is a Lite
// job whose executor is a task. No Nest.
export * from './followed-task.js';
export * from './process/index.js';
export * from './task-backend.js';
export * from './task-channel.js';
export * from './task-envelope-text.js';
export * from './task-envelope.js';
export * from './task-order.js';
export * from './task-outcome.decision.js';
export * from './task-reconciliation.js';
export * from './task-report.js';
export * from './task-scheduling.js';
export * from './task-state.js';
export * from './task.job-type.js';
export * from './tree/index.js';
export * from './watched-backend.js';
export * from './worker/index.js';
