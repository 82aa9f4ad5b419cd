// The registry as a port: nodes, sessions, views and transactions. An adapter writes an `Ensemble`, of which
// `SharedRegistry` makes a `RegistryCenter`; there is one in memory, and one for ZooKeeper. Recipes on the port: a
// latch, and requests that are repeated until they are served.
export * from './registry-center.js';
export * from './registry.errors.js';
export type { Ensemble, SyncOfViews } from './ensemble.js';
export { guaranteedDelete, type RequestPolicy, untilServed } from './request-policy.js';
export { namesBelow, unlessAbsent } from './absent.js';
export { creation, operationsOf } from './operations.js';
export * from './latch.js';
export * from './memory/index.js';
export * from './missing-registry.js';
export { lossGraceMs } from './session-lease.js';
export { SharedRegistry } from './shared-registry.js';
export * from './zookeeper/index.js';
