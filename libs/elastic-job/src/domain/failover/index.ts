// Items that an instance has left marked or queued: which of them are orphans, which marks are strays, and which
// instance takes which part of the queue.
export * from './failover-share.decision.js';
export * from './orphans.decision.js';
export * from './stray-marks.decision.js';
