import { type Clock, Deadline } from '../../clock/index.js';
import { type ConsoleRequest, ConsoleProblem } from '../contract/index.js';
import { type Addresses, headerOf, isFromThisHost } from './addresses.js';
import type { ConsoleLog } from './console-log.js';
import { asksForLoopback } from './origins.js';
import { digestOf, randomSecret } from './secrets.js';
import type { SessionStore, StoredSession } from './session-store.js';

const IDLE_MS = 30 * 60_000;
const ALL_MS = 12 * 3_600_000;
/** A later use is noted if the last one is this old, so that reading does not write each time. */
const TOUCH_MS = 60_000;
/** Longest wait for the store. */
const STORE_MS = 5_000;
const ID_BITS = 256;
const ID = /^[\w-]{43}$/;

/** Its prefix makes a browser refuse one that another host of the domain, or an unencrypted page, has set. */
const SECURE_COOKIE = '__Host-ej_session';
/** For this host alone, where there is no https. */
const LOOPBACK_COOKIE = 'ej_session';

/** A session that has begun. */
export interface BegunSession {
  readonly session: StoredSession;
  readonly cookie: string;
}

/** Sessions of users: 30 minutes idle, 12 hours in all. */
export class Sessions {
  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly addresses: Addresses,
    private readonly log: ConsoleLog,
  ) {}

  /**
   * Begins a session under an id that nobody has known before, whatever the request has.
   * @throws {ConsoleProblem} 403 over a connection on which others could read it, 503
   */
  async begin(request: ConsoleRequest, user: Omit<StoredSession, 'key' | 'begunAt' | 'usedAt'>): Promise<BegunSession> {
    const name = this.cookieName(request) ?? this.refuse();
    const now = this.clock.wallNow();
    const id = randomSecret(ID_BITS);
    const session = { ...user, key: digestOf(id), begunAt: now, usedAt: now };
    await this.end(request);
    await this.asked((store) => store.prune(now - ALL_MS, now - IDLE_MS));
    await this.asked((store) => store.add(session));
    return { session, cookie: cookieText(name, id, ALL_MS / 1_000) };
  }

  /** @throws {ConsoleProblem} 403 over a connection on which others could read along */
  assertSecret(request: ConsoleRequest): void {
    if (this.cookieName(request) === undefined) this.refuse();
  }

  private refuse(): never {
    const detail =
      'Logging in needs https. Behind a proxy that has it, give the option trustProxy, and let the proxy send ' +
      '"X-Forwarded-Proto: https".';
    throw new ConsoleProblem(403, 'FORBIDDEN', detail, { option: 'trustProxy' });
  }

  /** True if the request has a cookie of ours, whether there is such a session or not. */
  isNamedIn(request: ConsoleRequest): boolean {
    return this.idIn(request) !== undefined;
  }

  /**
   * The session of the request, if it goes on.
   * @param isUse false for a look of the console itself, which does not keep the session from being idle
   * @throws {ConsoleProblem} 503
   */
  async find(request: ConsoleRequest, isUse = true): Promise<StoredSession | undefined> {
    const id = this.idIn(request);
    const session = id && (await this.asked((store) => store.find(digestOf(id))));
    if (!session || !this.isAlive(session)) return undefined;
    const now = this.clock.wallNow();
    if (!isUse || now - session.usedAt < TOUCH_MS) return session;
    await this.asked((store) => store.touch(session.key, now));
    return { ...session, usedAt: now };
  }

  /** Ends the session of the request, if it has one. @throws {ConsoleProblem} 503: it goes on */
  async end(request: ConsoleRequest): Promise<void> {
    const id = this.idIn(request);
    if (id !== undefined) await this.asked((store) => store.remove(digestOf(id)));
  }

  /** The cookie that removes ours from the browser. */
  lastCookie(request: ConsoleRequest): string {
    return cookieText(this.cookieName(request) ?? SECURE_COOKIE, '', 0);
  }

  endsOf({ begunAt, usedAt }: StoredSession): { readonly idleUntil: string; readonly expiresAt: string } {
    const end = begunAt + ALL_MS;
    const iso = (ms: number): string => new Date(ms).toISOString();
    return { idleUntil: iso(Math.min(usedAt + IDLE_MS, end)), expiresAt: iso(end) };
  }

  private isAlive({ begunAt, usedAt }: StoredSession): boolean {
    const now = this.clock.wallNow();
    return now < begunAt + ALL_MS && now < usedAt + IDLE_MS;
  }

  /** The name of the cookie for this connection; undefined if none is safe there. */
  private cookieName(request: ConsoleRequest): string | undefined {
    if (this.addresses.isSecure(request)) return SECURE_COOKIE;
    return isFromThisHost(request) && asksForLoopback(request) ? LOOPBACK_COOKIE : undefined;
  }

  /** Of two cookies of the name, another site of the domain may have set one: neither counts. */
  private idIn(request: ConsoleRequest): string | undefined {
    const name = this.cookieName(request);
    const pairs = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
    const [id, ...others] = pairs.filter(([key]) => name !== undefined && key === name).map(([, value = '']) => value);
    return id !== undefined && others.length === 0 && ID.test(id) ? id : undefined;
  }

  private async asked<T>(ask: (store: SessionStore) => Promise<T>): Promise<T> {
    const late = (): never => {
      throw new Error(`it has not answered for ${STORE_MS} ms`);
    };
    try {
      return await Deadline.after(this.clock, STORE_MS).bounds(ask(this.store), late);
    } catch (error) {
      this.log.warn('The store of sessions is away: nobody can use or end a session.', error);
      const detail = 'The store of sessions is away. Try again later, or use a token.';
      throw new ConsoleProblem(503, 'SESSIONS_AWAY', detail, {}, { 'retry-after': '5' });
    }
  }
}

function cookieText(name: string, value: string, seconds: number): string {
  const secure = name === SECURE_COOKIE ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
