export * from './failover-queue.js';
