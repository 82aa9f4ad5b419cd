// Kinds of news within one session of a job, the work that they wake, and the reports of its failures.
export * from './own-work.js';
export type * from './job-news.js';
