/** Threads for jobs with `isolation: 'worker-thread'`. They need `piscina`. */
export type { ContextFacts, ThreadContext } from '../isolation.js';
export { WorkerThreads, type WorkerThreadsOptions } from './worker-threads.js';
