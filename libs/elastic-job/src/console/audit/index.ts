// The audit: entries of who has done what, when, why and how it ended, and the stores that keep them.
export { Audit, type Made, type Recorded } from './audit.js';
export type { AuditIntent, AuditNote } from './audit-intent.js';
export type { AuditEnd, AuditFilter, AuditPosition, AuditStore } from './audit-store.js';
export * from './audit-entry.js';
export { JsonLinesAuditStore, type JsonLinesAuditStoreOptions } from './json-lines-audit-store.js';
export { MemoryAuditStore } from './memory-audit-store.js';
