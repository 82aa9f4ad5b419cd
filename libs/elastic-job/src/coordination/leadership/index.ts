export * from './leadership.js';
export type * from './leadership-term.js';
