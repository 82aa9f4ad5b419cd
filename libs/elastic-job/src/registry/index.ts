export * from './registry-center.js';
export * from './registry.errors.js';
export * from './memory/index.js';
export * from './zookeeper/index.js';
