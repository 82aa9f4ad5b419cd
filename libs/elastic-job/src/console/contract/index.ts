// What the console promises over HTTP: its roles, what it is asked, and what it answers.
export * from './answers.js';
export * from './http.js';
export * from './roles.js';
export * from './problems.js';
export * from './queries.js';
