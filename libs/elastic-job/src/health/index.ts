// Judges of liveness, readiness and single parts, from the runtime's status. Each returns a value, and asks nobody.
export { type HealthVerdict, type HealthLimits, judgeLiveness, judgeReadiness } from './judge.js';
export * from './judge-parts.js';
