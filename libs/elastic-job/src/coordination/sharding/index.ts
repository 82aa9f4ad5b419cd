export * from './sharding.js';
export { assertFitsOneTransaction } from './transaction-limit.js';
