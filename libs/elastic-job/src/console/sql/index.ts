// The stores of the console in the application's database, through Kysely: what was done, and who is logged in.
export { SqlAuditStore, type SqlAuditStoreOptions } from './sql-audit-store.js';
