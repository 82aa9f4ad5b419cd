// Items that instances have left marked or queued: which are orphans, which marks are strays, and which instance takes
// which part of the queue.
export * from './cut-short.decision.js';
export * from './failover-share.decision.js';
export * from './orphans.decision.js';
export * from './stray-marks.decision.js';
