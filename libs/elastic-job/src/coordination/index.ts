export * from './configuration/index.js';
export * from './execution/index.js';
export * from './failover/index.js';
export * from './guarantee/index.js';
export * from './job-tree/index.js';
export * from './leadership/index.js';
export * from './membership/index.js';
export * from './sharding/index.js';
