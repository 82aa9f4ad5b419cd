import type { SessionStore, StoredSession } from './session-store.js';

/** Far more than limits of log-ins let a few people have. */
const MOST = 10_000;

/** Sessions of this process, which end with it. With too many, the one that was used least recently is removed. */
export class MemorySessionStore implements SessionStore {
  /** The least recently used one comes first. */
  private readonly sessions = new Map<string, StoredSession>();

  async add(session: StoredSession): Promise<void> {
    this.sessions.set(session.key, session);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > MOST && oldest !== undefined) this.sessions.delete(oldest);
  }

  async find(key: string): Promise<StoredSession | undefined> {
    return this.sessions.get(key);
  }

  async touch(key: string, usedAt: number): Promise<void> {
    const session = this.sessions.get(key);
    if (session === undefined || session.usedAt >= usedAt) return;
    this.sessions.delete(key);
    this.sessions.set(key, { ...session, usedAt });
  }

  async remove(key: string): Promise<void> {
    this.sessions.delete(key);
  }

  async prune(begunBefore: number, usedBefore: number): Promise<void> {
    for (const { key, begunAt, usedAt } of this.sessions.values()) {
      if (begunAt < begunBefore || usedAt < usedBefore) this.sessions.delete(key);
    }
  }
}
