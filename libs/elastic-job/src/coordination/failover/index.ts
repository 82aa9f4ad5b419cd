export * from './confirmed-loss.js';
export * from './failover-queue.js';
export * from './orphan-sweep.js';
export * from './retired-failover.js';
export type { OverflowedItem, PendingFailover } from './queued-item.js';
export * from './purged-queue.js';
export * from './stray-marks.js';
