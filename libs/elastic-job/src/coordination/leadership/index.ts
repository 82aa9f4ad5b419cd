// Elections of a job, and the terms of its leaders.
export * from './leadership.js';
export type { LeadershipTerm } from './leadership-term.js';
