export * from './instance-clock.js';
export * from './test-cluster.js';
export type { TestRun } from './test-instance.js';
export * from './virtual-clock.js';
