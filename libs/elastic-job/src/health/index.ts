export type { HealthVerdict } from './finding.js';
export {
  type Health,
  type HealthDetails,
  type HealthLimits,
  type JobHealth,
  judgeLiveness,
  judgeReadiness,
} from './judge.js';
export * from './judge-parts.js';
