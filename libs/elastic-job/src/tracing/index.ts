export type * from './job-event.js';
export * from './job-events.js';
