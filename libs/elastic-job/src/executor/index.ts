export * from './job-executor.js';
export * from './listeners.js';
