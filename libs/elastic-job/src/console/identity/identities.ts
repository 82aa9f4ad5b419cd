import { type Clock, Deadline } from '../../clock/index.js';
import { ConfigurationError, type OptionRow, OptionTable } from '../../domain/index.js';
import { type ConsoleCaller, ConsoleProblem, type ConsoleRequest, type SessionAnswer } from '../contract/index.js';
import { Accounts } from './accounts.js';
import { Addresses, headerOf, isFromThisHost, type TrustProxy, trustProxyRule } from './addresses.js';
import { authRule, type ConsoleAuth, type ConsoleAuthFunction, MOST_NAME, rightsOf } from './auth-options.js';
import { type ConsoleLog, RareLog } from './console-log.js';
import { MemorySessionStore } from './memory-session-store.js';
import { hostsRule, Origins } from './origins.js';
import { MOST_PASSWORD } from './passwords.js';
import type { RateLimits } from './rate-limits.js';
import { assertNoSecretInUrl } from './request-secrets.js';
import { Sessions } from './sessions.js';
import type { StoredSession } from './session-store.js';

/** Options of the console about who may ask. */
export interface ConsoleIdentityOptions {
  /**
   * Users and tokens, or the application's own function that tells who asks.
   * @default one admin, whose password each start prints, from this host only and through no proxy
   */
  readonly auth?: ConsoleAuth | undefined;
  /** Proxies of which `X-Forwarded-For` and `X-Forwarded-Proto` are believed. @default none */
  readonly trustProxy?: TrustProxy | undefined;
  /** Hosts by which the console is asked for. @default any; without `auth`, names of this host alone */
  readonly hosts?: readonly string[] | undefined;
}

/** Parts of `Identities`. */
export interface IdentityParts extends ConsoleIdentityOptions {
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly readOnly: boolean;
  readonly requireReason: boolean;
  readonly log: ConsoleLog;
}

/** Rows for the table of the module's options. */
export const IDENTITY_ROWS = {
  auth: { rule: authRule },
  trustProxy: { rule: trustProxyRule },
  hosts: { rule: hostsRule },
} as const satisfies Readonly<Record<keyof ConsoleIdentityOptions, OptionRow>>;

const TABLE = new OptionTable(IDENTITY_ROWS, 'the console');
const PLACE = 'ElasticJobConsoleModule';

/** Longest wait for the host's function. */
const HOST_MS = 10_000;
const BEARER = /^Bearer +([\w.~+/-]{1,512}=*)$/i;
const READS: readonly string[] = ['GET', 'HEAD'];

/** A log-in as its body has it. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** The gate of the console: tells who asks, and refuses what nobody can have meant, by a `ConsoleProblem`. */
export class Identities {
  private readonly addresses: Addresses;
  private readonly origins: Origins;
  private readonly sessions: Sessions;
  private readonly log: ConsoleLog;
  private readonly host: ConsoleAuthFunction | undefined;
  /** Undefined until the start if a password is to be printed. */
  private accounts: Accounts | undefined;

  /** @throws {ConfigurationError} for options that are wrong, or cannot work together; it shows nothing secret */
  constructor(private readonly parts: IdentityParts) {
    const { trustProxy, hosts, clock } = parts;
    const { auth } = TABLE.checked(PLACE, { auth: parts.auth, trustProxy, hosts });
    if (auth === undefined && trustProxy !== undefined) {
      throw new ConfigurationError(PLACE, ['trustProxy needs auth: a printed password is for this host alone']);
    }
    const listed = typeof auth === 'object' ? auth : undefined;
    this.host = typeof auth === 'function' ? auth : undefined;
    this.accounts = listed && new Accounts(listed.users ?? [], listed.tokens ?? []);
    this.log = new RareLog(parts.log, clock);
    this.addresses = new Addresses(trustProxy);
    this.origins = new Origins(hosts, this.isPrinted);
    this.sessions = new Sessions(listed?.sessions ?? new MemorySessionStore(), clock, this.addresses, this.log);
  }

  private get isPrinted(): boolean {
    return this.parts.auth === undefined || this.parts.auth === null;
  }

  /** Without `auth`, makes the password and writes it to the log, once. */
  async start(): Promise<void> {
    if (!this.isPrinted || this.accounts) return;
    this.accounts = await Accounts.printed((name, password) =>
      this.parts.log.info(`Console: log in from this host as "${name}" with ${password} until the next start.`),
    );
  }

  /** From now on a printed password lets nobody in. */
  async stop(): Promise<void> {
    if (this.isPrinted) this.accounts = undefined;
  }

  /**
   * The caller of a request that is safe to follow.
   * @param isUse false for a later look at a request that is still being answered: a session is no less idle by it
   * @throws {ConsoleProblem} 401; or what `assertSafeOrigin` throws; or 503 if the store of sessions is away
   */
  async authenticate(request: ConsoleRequest, isUse = true): Promise<ConsoleCaller> {
    this.assertReachable(request);
    // A client without anything is told that it lacks a token, rather than an Origin.
    if (!this.host && !hasBearer(request) && !this.sessions.isNamedIn(request)) throw unauthenticated();
    this.assertSafeOrigin(request);
    const caller = await this.callerOf(request, isUse);
    if (caller === undefined) throw unauthenticated();
    return caller;
  }

  private async callerOf(request: ConsoleRequest, isUse: boolean): Promise<ConsoleCaller | undefined> {
    if (this.host) return this.askHost(this.host, request);
    // A token that is wrong is not made good by a cookie.
    if (hasBearer(request)) return this.accounts?.byToken(tokenOf(request) ?? '', this.parts.clock.wallNow());
    const session = await this.sessions.find(request, isUse);
    return session && this.accounts?.bySession(session);
  }

  /** Its error is for the log: an answer shows nothing of it. */
  private async askHost(ask: ConsoleAuthFunction, request: ConsoleRequest): Promise<ConsoleCaller | undefined> {
    try {
      const result = await this.answerOf(ask, request);
      if (result === undefined || result === null) return undefined;
      const rights = rightsOf(result);
      if (rights) return { ...rights, by: 'host' };
      this.log.warn('Console: the function auth returned no right { name, role, jobPrefix }; nobody is let in.');
    } catch (error) {
      if (!request.signal.aborted) this.log.warn('Console: the function auth has failed; nobody is let in.', error);
    }
    return undefined;
  }

  private answerOf(ask: ConsoleAuthFunction, request: ConsoleRequest): Promise<unknown> {
    const late = (): never => {
      throw new Error(`it has not answered for ${HOST_MS} ms`);
    };
    const answer = async () => ask(request.raw);
    return Deadline.after(this.parts.clock, HOST_MS).bounds(answer(), late, request.signal);
  }

  /**
   * Lets a user in, whose former session ends.
   * @throws {ConsoleProblem} 401 for a wrong name or password; 403 over a connection on which others can read along,
   * and if there are no users; 429 with `Retry-After`; 503; or what `assertSafeOrigin` throws
   */
  async logIn(
    request: ConsoleRequest,
    body: Credentials,
  ): Promise<{ readonly answer: SessionAnswer; readonly headers: Readonly<Record<string, string>> }> {
    this.assertOwnPage(request);
    if (!this.accounts?.haveUsers) throw noLogIn(this.host !== undefined);
    this.sessions.assertSecret(request);
    const { name, password } = checkedCredentials(body);
    this.parts.limits.logIn(name, this.addressOf(request));
    const user = await this.accounts.byPassword(name, password, request.signal);
    if (user === undefined) throw unauthenticated('The name or the password is wrong.');
    const { session, cookie } = await this.sessions.begin(request, { ...user, jobPrefix: user.jobPrefix ?? null });
    return { answer: this.answer({ ...user, by: 'page' }, session), headers: { 'set-cookie': cookie } };
  }

  /**
   * Ends the session of the request, for every console of the store. Without one it only removes the cookie.
   * @returns also the caller whose session has ended
   * @throws {ConsoleProblem} 503: the session goes on; or what `assertSafeOrigin` throws
   */
  async logOut(
    request: ConsoleRequest,
  ): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly caller: ConsoleCaller | undefined }> {
    this.assertOwnPage(request);
    const session = await this.sessions.find(request, false);
    await this.sessions.end(request);
    const caller = session && this.accounts?.bySession(session);
    return { headers: { 'set-cookie': this.sessions.lastCookie(request) }, caller };
  }

  /** True if there is a user of this name. For the audit; an answer never tells it. */
  isUser(name: string): boolean {
    return this.accounts?.isUser(name) ?? false;
  }

  /** Rights of the caller, and their end. @throws {ConsoleProblem} 503 */
  async session(request: ConsoleRequest, caller: ConsoleCaller): Promise<SessionAnswer> {
    return this.answer(caller, caller.by === 'page' ? await this.sessions.find(request) : undefined);
  }

  private answer({ name, role, jobPrefix, by }: ConsoleCaller, session?: StoredSession): SessionAnswer {
    const { readOnly, requireReason } = this.parts;
    const ends = session ? this.sessions.endsOf(session) : { idleUntil: null, expiresAt: null };
    return { name, role, jobPrefix: jobPrefix ?? null, readOnly, requireReason, by, ...ends };
  }

  /**
   * Refuses what no caller can have meant. `authenticate`, `logIn` and `logOut` do so by themselves.
   * @throws {ConsoleProblem} 400 for a secret in the URL; 421 for a foreign `Host`; 403 for a change from another site,
   * and without `auth` for what does not come from this host; 415 for a change whose body is no JSON
   */
  assertSafeOrigin(request: ConsoleRequest): void {
    this.assertReachable(request);
    if (READS.includes(request.method)) return;
    assertJson(request);
    // With a token of ours, cookies do not count. A function of the host may look at anything.
    const bearsToken = hasBearer(request);
    if (bearsToken && !this.host) return;
    this.origins.assertOrigin(request, this.addresses.isSecure(request), bearsToken);
  }

  /** As `assertSafeOrigin`, for what changes a cookie: a token in the request makes it no safer. */
  private assertOwnPage(request: ConsoleRequest): void {
    this.assertSafeOrigin(request);
    this.origins.assertOrigin(request, this.addresses.isSecure(request), false);
  }

  private assertReachable(request: ConsoleRequest): void {
    assertNoSecretInUrl(request);
    this.origins.assertHost(request);
    if (!this.isPrinted || isFromThisHost(request)) return;
    const detail = 'Without the option auth, the console answers this host alone, and nothing that a proxy forwards.';
    throw new ConsoleProblem(403, 'FORBIDDEN', detail, { option: 'auth' });
  }

  /** The address of the client: for limits and the audit. */
  addressOf(request: ConsoleRequest): string {
    return this.addresses.addressOf(request);
  }
}

/** The same for everybody: neither what is missing nor what is wrong is told to somebody unknown. */
function unauthenticated(detail = 'Log in, or send a token that is valid as "Authorization: Bearer".'): ConsoleProblem {
  return new ConsoleProblem(401, 'UNAUTHENTICATED', detail, {}, { 'www-authenticate': 'Bearer' });
}

function noLogIn(hasHost: boolean): ConsoleProblem {
  const detail = hasHost
    ? 'The application itself knows who asks, so the console has no log-in.'
    : 'The console has no users, so nobody can log in. Send a token as "Authorization: Bearer".';
  return new ConsoleProblem(403, 'FORBIDDEN', detail, { option: 'auth' });
}

/** True also for a token that is wrong. Another scheme, such as Basic, is for a proxy before the application. */
function hasBearer(request: ConsoleRequest): boolean {
  return /^Bearer\b/i.test(headerOf(request, 'authorization') ?? '');
}

function tokenOf(request: ConsoleRequest): string | undefined {
  return BEARER.exec(headerOf(request, 'authorization') ?? '')?.[1];
}

/** A form of another site can send texts, but nothing that is declared as JSON. */
function assertJson(request: ConsoleRequest): void {
  const type = headerOf(request, 'content-type');
  const length = headerOf(request, 'content-length') ?? '0';
  const hasBody = type !== undefined || length !== '0' || headerOf(request, 'transfer-encoding') !== undefined;
  if (!hasBody || /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type ?? '')) return;
  throw new ConsoleProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'A body must be JSON: "Content-Type: application/json".');
}

function checkedCredentials({ name, password }: Credentials): Credentials {
  const fields = [
    ...(isText(name, MOST_NAME) ? [] : [{ field: 'name', problem: `must be a text of 1 to ${MOST_NAME} characters` }]),
    ...(isText(password, MOST_PASSWORD)
      ? []
      : [{ field: 'password', problem: `must be a text of 1 to ${MOST_PASSWORD} characters` }]),
  ];
  if (fields.length === 0) return { name, password };
  throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'A log-in needs a name and a password.', { fields });
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= most;
}
