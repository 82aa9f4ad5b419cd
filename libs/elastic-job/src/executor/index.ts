export * from './job-executor.js';
