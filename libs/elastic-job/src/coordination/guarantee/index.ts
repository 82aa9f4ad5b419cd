export { type GuaranteedRun, GuaranteeTimeoutError } from './guaranteed-run.js';
export * from './guarantees.js';
