export * from './sharding.js';
export { assertFitsOneTransaction, fitsOneTransactionOf } from './transaction-limit.js';
