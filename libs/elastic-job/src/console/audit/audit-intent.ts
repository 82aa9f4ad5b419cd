import type { AuditEntry } from '../contract/index.js';

/** A change that somebody is about to make. Texts and values are as they were given; what is secret is hidden here. */
export type AuditIntent = Pick<
  AuditEntry,
  'who' | 'role' | 'by' | 'address' | 'requestId' | 'action' | 'target' | 'reason'
> &
  Partial<Pick<AuditEntry, 'before' | 'after'>>;

/**
 * A deed that changes no job: a log-in, a log-out, and what somebody was not let do. Give the name of a refused log-in
 * only if there is such a user: people type passwords into the field of the name.
 */
export type AuditNote = AuditIntent & { readonly outcome: 'done' | 'refused'; readonly code?: string | null };
