// Barriers at which all items of a run wait for each other, for distribute-once listeners.
export { type GuaranteedRun, GuaranteeTimeoutError } from './guaranteed-run.js';
export * from './guarantees.js';
