export * from './leader.service.js';
export type * from './leadership-term.js';
