export type { JobConfigurationChanges, StoredJobConfiguration } from './edit-configuration.js';
export { JobConfigurationApi } from './job-configuration.api.js';
export * from './job-operate.api.js';
export * from './job-statistics.api.js';
export * from './operations.errors.js';
export type { TriggerReceipt } from './request-runs.js';
export * from './server-statistics.api.js';
export * from './sharding-operate.api.js';
export * from './sharding-statistics.api.js';
