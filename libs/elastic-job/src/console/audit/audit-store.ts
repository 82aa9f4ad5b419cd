import type { AuditEntry, AuditOutcome, AuditTarget } from '../contract/index.js';

/** How a change ended. What is left out stays as the intent has it. */
export type AuditEnd = Pick<AuditEntry, 'outcome' | 'code'> & Partial<Pick<AuditEntry, 'before' | 'after'>>;

/** Place of an entry in the order of a store. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

/** Asks for a page of entries. Instants are ISO 8601 with milliseconds and `Z`, as in entries. */
export interface AuditFilter {
  readonly job?: string | undefined;
  readonly server?: string | undefined;
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** From this instant on. */
  readonly from?: string | undefined;
  /** Before this instant. */
  readonly to?: string | undefined;
  /** Only entries of jobs whose names begin so, and the log-ins of this person. @default all */
  readonly seenBy?: { readonly jobPrefix: string; readonly name: string } | undefined;
  /** An entry that is still `intended`, of this instant or before, counts as `unknown`: its process is gone. */
  readonly unknownUntil: string;
  /** Only entries behind this one. */
  readonly after?: AuditPosition | undefined;
  /** Most entries. */
  readonly limit: number;
}

/**
 * Keeps the entries of the audit. Nothing in it deletes one. Several consoles may share a store, so what one of them
 * has written is seen by all.
 *
 * A method may fail at any time, and may be called again: then it may have been done already, which does no harm.
 */
export interface AuditStore {
  /** Prepares the store, once. @returns lines for the log: what an operator should know of it */
  open(): Promise<readonly string[]>;
  /** Resolves once the entry outlives this process and its host. */
  add(entry: AuditEntry): Promise<void>;
  /** Adds the end of an entry that is `intended`. The first end stands; an unknown id is ignored. */
  settle(id: string, end: AuditEnd): Promise<void>;
  /**
   * Keeps a key, and with it an entry, unless the key is there.
   * @returns true if it was added; with an entry, for one caller alone of all consoles of the store
   */
  addOnce(key: string, entry?: AuditEntry): Promise<boolean>;
  /** True if the key is there. */
  has(key: string): Promise<boolean>;
  /**
   * The newest entries first.
   * @param signal aborts once nobody waits for them; a store that would read on for long ends then
   */
  read(filter: AuditFilter, signal?: AbortSignal): Promise<readonly AuditEntry[]>;
  /**
   * The last `done` entries that have enabled or disabled exactly these targets, in their order, by one question: a
   * page may have 200 of them.
   * @see isSwitch
   */
  lastSwitches(targets: readonly AuditTarget[]): Promise<readonly (AuditEntry | undefined)[]>;
  close(): Promise<void>;
}
