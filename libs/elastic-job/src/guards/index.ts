// Fences for users' stores: a guard refuses the writes of a run whose item another one has.
export * from './fence.errors.js';
export type { FencedRun } from './fenced-write.js';
export { ZooKeeperGuard } from './zookeeper-guard.js';
