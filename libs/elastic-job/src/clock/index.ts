// The port for time, chance and host, its system adapter, ids in the order of time, and waits on it: deadlines,
// conditions, aborts.
export * from './aborts.js';
export * from './clock.js';
export * from './clock.rules.js';
export * from './held-back.js';
export * from './host-address.js';
export * from './row-ids.js';
export * from './system-clock.js';
export * from './waiting.js';
