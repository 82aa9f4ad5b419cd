// Runs in the registry: their begin, the lease, the settle, checkpoints, and requests of operators.
export { type BegunExecution, RemovedFromJobError } from './begin.js';
export type { DelayedSettles } from './delay-alarm.js';
export type { ExecutionLease } from './execution-lease.js';
export * from './executions.js';
export { giveUpFireTimes } from './give-up.js';
export { type BeginningItem, beginOperations, settleOperations } from './item-operations.js';
export * from './operator-requests.js';
export { loadProgress, progressOperations } from './rerun-progress.js';
export * from './reruns.js';
export * from './shown-task.js';
