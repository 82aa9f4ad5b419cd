// How work takes turns on the event loop of this process, and at the registry: timers of one instant, callers of one
// answer, handlers that are due, and what created jobs write. docs/architecture.md, "Turns", says what waits, for whom
// and how long. Of a job this room knows the kind alone.
export * from './calm.js';
export * from './fair-turns.js';
export * from './text-turns.js';
export * from './timer-queue.js';
export * from './work-limit.js';
