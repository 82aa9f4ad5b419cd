export type { BegunExecution } from './begin.js';
export { blamedItem } from './blocked-items.js';
export * from './execution.errors.js';
export type * from './execution-lease.js';
export * from './executions.js';
export { giveUpFireTimes } from './give-up.js';
export { type BeginningItem, beginOperations, settleOperations } from './item-operations.js';
export * from './stale-cancels.js';
export type { DelayedSettles } from './waiting-settles.js';
