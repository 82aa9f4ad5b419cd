// The operations console without Nest: who may ask, what was done by whom, an index of all jobs, the routes, and the
// files of the page.
export * from './api/index.js';
export * from './audit/index.js';
export * from './changes/index.js';
export * from './contract/index.js';
export * from './history/index.js';
export * from './identity/index.js';
export * from './jobs/index.js';
export * from './page/index.js';
