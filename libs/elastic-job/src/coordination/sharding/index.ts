export * from './sharding.service.js';
export { assertFitsOneTransaction } from './transaction-limit.js';
