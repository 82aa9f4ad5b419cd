// A virtual clock, and clusters of instances and of tasks in memory, for users' tests. Nobody imports it here.
export * from './instance-clock.js';
export type { RootModule, TestModule, TestOverride } from './nest/index.js';
export * from './sharding-context.js';
export * from './tasks/index.js';
export type {
  TestApplications,
  TestClusterOptions,
  TestClusterSettings,
  TestFunctions,
  TestJobOptions,
  TestTemplateOptions,
} from './test-cluster-options.js';
export * from './test-cluster.js';
export type { TestRun } from './test-instance.js';
export type { FunctionsProgramOptions, TestJobHandler, TestProcess } from './test-program.js';
export * from './virtual-clock.js';
