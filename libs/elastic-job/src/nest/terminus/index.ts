export type { HealthLimits } from '../../health/index.js';
export type { HealthOptions } from './health-options.js';
export { ElasticJobHealthModule } from './elastic-job-health.module.js';
export { ElasticJobHealthIndicator } from './elastic-job.health-indicator.js';
