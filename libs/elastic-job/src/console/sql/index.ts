// The stores of the console in the application's database, through Kysely: the audit, and the sessions.
export type { ConsoleDialectName } from './console-dialect.js';
export { SqlAuditStore, type SqlAuditStoreOptions } from './sql-audit-store.js';
export { SqlSessionStore } from './sql-session-store.js';
