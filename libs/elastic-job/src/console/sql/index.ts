// The stores of the console in the application's database, through Kysely: the audit, and the sessions.
export { SqlAuditStore, type SqlAuditStoreOptions } from './sql-audit-store.js';
export { SqlSessionStore } from './sql-session-store.js';
