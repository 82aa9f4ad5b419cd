export * from './leadership.js';
export type { LeadershipTerm } from './leadership-term.js';
