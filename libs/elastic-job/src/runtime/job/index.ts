// One job of this process: its parts during one session of the registry, and its life over any number of sessions.
export * from './job-runtime.js';
export * from './job-session.js';
export * from './session-news.js';
export type * from './job-status.js';
