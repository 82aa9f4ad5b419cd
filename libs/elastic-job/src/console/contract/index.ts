// The contract over HTTP: roles, requests, and answers.
export * from './answers.js';
export * from './cursors.js';
export * from './history-answers.js';
export * from './http.js';
export * from './job-answers.js';
export * from './roles.js';
export * from './problem-answers.js';
export * from './problems.js';
export * from './queries.js';
export * from './times.js';
