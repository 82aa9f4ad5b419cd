/** Threads for jobs with `isolation: 'worker-thread'`. They need `piscina`. */
export type { ThreadContext } from './messages.js';
export * from './worker-threads.js';
