// Owners of items: the plan, the flag that asks for a new one, and how much fits one transaction.
export * from './sharding.js';
export { assertFitsOneTransaction, fitsOneTransactionOf } from './transaction-limit.js';
