// The leader's work for a job: election, sweep, plan, and the jobs that it starts after.
export * from './leader-duties.js';
