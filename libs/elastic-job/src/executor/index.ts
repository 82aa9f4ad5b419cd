export { taskIdOf } from './contexts.js';
export * from './job-executor.js';
export * from './listeners.js';
