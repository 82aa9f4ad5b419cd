// Items of instances that have gone: the sweep that queues them, the queue, and the claims from it.
export * from './failover-queue.js';
export { OrphanSweep, type OwnSweep } from './orphan-sweep.js';
export * from './purged-queue.js';
export * from './retired-failover.js';
export * from './stray-marks.js';
