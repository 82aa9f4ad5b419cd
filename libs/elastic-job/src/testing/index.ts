export * from './instance-clock.js';
export * from './test-cluster.js';
export type { TestJobHandler, TestProcess, TestRun } from './test-instance.js';
export * from './virtual-clock.js';
