export * from './guarantee.errors.js';
export * from './guarantee.service.js';
export type { GuaranteedRun } from './guaranteed-run.js';
