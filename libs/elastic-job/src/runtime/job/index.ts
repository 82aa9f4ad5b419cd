// One job of this process, from its registration to its removal, over any number of sessions.
export type * from './job-definition.js';
export * from './job-runtime.js';
export type * from './job-status.js';
