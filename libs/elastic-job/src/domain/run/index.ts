// One run of an item, from the trigger to the recorded end: whether it may begin, what its handler learns, how it ends,
// and what is still owed afterwards.
export * from './begin.decision.js';
export * from './catch-up.decision.js';
export * from './checkpoint.js';
export * from './dropped-run.js';
export * from './early-runs.js';
export * from './ended-items.js';
export * from './fence.js';
export * from './guarantee.decision.js';
export * from './hand-over.decision.js';
export * from './lease.errors.js';
export * from './resident.decision.js';
export * from './rerun.js';
export * from './retry.decision.js';
export * from './run-record.js';
export * from './running-task.js';
export * from './shard-outcome.js';
export type * from './sharding-context.js';
export * from './trigger.js';
