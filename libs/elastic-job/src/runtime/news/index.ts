// Kinds of news within one session of a job, the work that they wake, and how failures of that work are told.
export * from './own-work.js';
export type * from './job-news.js';
