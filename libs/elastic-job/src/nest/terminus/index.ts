// `nestjs-elastic-job/terminus`: the verdicts of the room `health` as indicators of Terminus.
export type { HealthLimits } from '../../health/index.js';
export { type HealthOptions, ElasticJobHealthModule, ElasticJobHealthIndicator } from './elastic-job-health.module.js';
