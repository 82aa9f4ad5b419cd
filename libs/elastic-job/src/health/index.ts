export { type HealthVerdict, type HealthLimits, judgeLiveness, judgeReadiness } from './judge.js';
export * from './judge-parts.js';
