export * from './fence.errors.js';
export type * from './fenced-run.js';
export * from './zookeeper-guard.js';
