// Items that instances have left marked or queued: which are orphans, which marks are strays, which ends are queued,
// which instance takes which part of the queue, and what is begun of it.
export * from './cut-short.decision.js';
export * from './failover.decision.js';
export * from './failover-share.decision.js';
export * from './orphans.decision.js';
export * from './requeue.decision.js';
export * from './stray-marks.decision.js';
