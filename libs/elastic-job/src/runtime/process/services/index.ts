export * from './configuration.service.js';
export * from './execution.service.js';
export * from './failover.service.js';
export * from './instance.service.js';
export * from './leader.service.js';
export * from './server.service.js';
export * from './sharding.service.js';
