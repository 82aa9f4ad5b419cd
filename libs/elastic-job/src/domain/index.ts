// Values and decisions, computed from their arguments: a test of them needs neither a clock nor a registry.
export * from './cluster/index.js';
export * from './dependencies/index.js';
export * from './failover/index.js';
export * from './handlers/index.js';
export * from './options/index.js';
export * from './run/index.js';
export * from './schedule/index.js';
export * from './sharding/index.js';

export * from './batch.js';
export * from './count-while.js';
export * from './describe-registry.js';
export * from './errors.js';
export * from './few-names.js';
export * from './inspection.js';
export * from './interned.js';
export * from './json-fields.js';
export * from './listeners.js';
export * from './missing-table.js';
export * from './node-text.js';
export * from './optional-package.js';
export * from './protocol.js';
export * from './sparse.js';
export * from './stuck-connection.js';
export * from './thrown.js';
export * from './unawaited.js';
