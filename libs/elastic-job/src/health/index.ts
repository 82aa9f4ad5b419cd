export type { HealthVerdict } from './finding.js';
export { type HealthLimits, judgeLiveness, judgeReadiness } from './judge.js';
export * from './judge-parts.js';
