import type { ConsoleRole } from '../contract/index.js';

/** A session as a store keeps it. Times are milliseconds since the epoch. */
export interface StoredSession {
  /** SHA-256 of the session's id, in hexadecimal. The id itself has its browser alone. */
  readonly key: string;
  readonly name: string;
  /** The user's role at the log-in. */
  readonly role: ConsoleRole;
  readonly jobPrefix: string | null;
  /** SHA-256 of the text by which the user was known, in hexadecimal: another password ends the session. */
  readonly credential: string;
  readonly begunAt: number;
  readonly usedAt: number;
}

/**
 * Sessions of one console, or of several that share the store. Each call rejects with the store's own error if the
 * store is away. Expired sessions may be found: the console judges them.
 */
export interface SessionStore {
  add(session: StoredSession): Promise<void>;
  find(key: string): Promise<StoredSession | undefined>;
  /** Notes a later use. A session that was removed stays removed, and an earlier time changes nothing. */
  touch(key: string, usedAt: number): Promise<void>;
  /** Removes a session, for all consoles, before it resolves. One that is not there is no error. */
  remove(key: string): Promise<void>;
  /** Removes the sessions that have begun, or were used last, before these times. */
  prune(begunBefore: number, usedBefore: number): Promise<void>;
}
