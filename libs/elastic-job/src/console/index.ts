// The operations console without Nest: who may ask, what was done by whom, an index of all jobs, and the routes.
export * from './api/index.js';
export * from './audit/index.js';
export * from './changes/index.js';
export * from './contract/index.js';
export * from './identity/index.js';
export * from './jobs/index.js';
