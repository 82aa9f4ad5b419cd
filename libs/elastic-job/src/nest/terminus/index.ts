export type { HealthLimits } from '../../health/index.js';
export { type HealthOptions, ElasticJobHealthModule, ElasticJobHealthIndicator } from './elastic-job-health.module.js';
