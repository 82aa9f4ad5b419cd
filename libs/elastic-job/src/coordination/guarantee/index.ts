export * from './guarantee.errors.js';
export * from './guarantees.js';
export type { GuaranteedRun } from './guaranteed-run.js';
