export type { FunctionsProgramOptions, TestJobHandler } from './functions-program.js';
export * from './instance-clock.js';
export type { RootModule, TestModule, TestOverride } from './nest/index.js';
export * from './tasks/index.js';
export * from './test-cluster-options.js';
export * from './test-cluster.js';
export type { TestRun } from './test-instance.js';
export type { TestProcess } from './test-program.js';
export * from './virtual-clock.js';
