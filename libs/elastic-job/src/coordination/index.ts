// Agreement of the instances of a job in the registry: who leads, who owns which item, what runs, what crashed.
// docs/architecture.md has the order of the inner rooms.
export * from './configuration/index.js';
export * from './coordination-services.js';
export * from './dependencies/index.js';
export * from './execution/index.js';
export * from './failover/index.js';
export * from './guarantee/index.js';
export * from './job-tree/index.js';
export * from './leadership/index.js';
export * from './membership/index.js';
export * from './removal/index.js';
export * from './sharding/index.js';
