// The operations console without Nest: who may ask, what was done by whom, an index of all jobs, and the routes.
export * from './contract/index.js';
export * from './api/index.js';
export * from './changes/index.js';
