export * from './failover-queue.js';
export * from './retired-failover.js';
