// One job during one session of the registry: its duties and its ticks. Ends with the session.
export * from './job-session.js';
export * from './session-news.js';
