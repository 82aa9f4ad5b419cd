// Values and decisions, computed from their arguments: a test of them needs neither a clock nor a registry.
export * from './cluster/index.js';
export * from './dependencies/index.js';
export * from './failover/index.js';
export * from './handlers/index.js';
export * from './options/index.js';
export * from './run/index.js';
export * from './schedule/index.js';
export * from './sharding/index.js';

export * from './collections.js';
export * from './database-errors.js';
export * from './error-status.js';
export * from './errors.js';
export * from './interned.js';
export * from './node-text.js';
export * from './protocol.js';
export * from './thrown.js';
export * from './wording.js';
