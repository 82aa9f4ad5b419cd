export * from './registry-center.js';
export * from './registry.errors.js';
export { guaranteedDelete } from './guaranteed-delete.js';
export * from './creation.js';
export * from './latch.js';
export * from './memory/index.js';
export * from './missing-registry.js';
export * from './retry.js';
export * from './zookeeper/index.js';
