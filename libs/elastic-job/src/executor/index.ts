export { taskIdOf } from './contexts.js';
export * from './error-handling/index.js';
export * from './isolation.js';
export * from './job-executor.js';
export * from './listeners.js';
export type { RetriedItem } from './retries.js';
