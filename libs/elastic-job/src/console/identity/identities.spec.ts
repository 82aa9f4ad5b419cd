import { beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { ConsoleProblem, type ConsoleRequest } from '../contract/index.js';
import type { ConsoleAuth, ConsoleUser } from './auth-options.js';
import { Identities, type IdentityParts } from './identities.js';
import { MemorySessionStore } from './memory-session-store.js';
import { hashPassword } from './passwords.js';
import { RateLimits } from './rate-limits.js';
import { newToken } from './secrets.js';

const HOST = 'ops.example.com';
const ORIGIN = `https://${HOST}`;
const PASSWORD = 'correct horse battery';
const MINUTE_MS = 60_000;
const viewer = newToken();
const admin = newToken();
let anna: ConsoleUser;

beforeAll(async () => {
  anna = { name: 'anna', role: 'operator', jobPrefix: 'billing-', password: await hashPassword(PASSWORD) };
});

/** Cookies and others that a request has beside those of a browser on the console's page. */
type Headers = ConsoleRequest['headers'];

/** A request over https, by a browser on the console's page. A header that is undefined is left out. */
function request(headers: Headers = {}, others: Partial<ConsoleRequest> = {}): ConsoleRequest {
  const { method = 'GET' } = others;
  const own = { host: HOST, ...(method === 'GET' ? {} : { origin: ORIGIN }) };
  const given = Object.fromEntries(Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined));
  const { signal } = new AbortController();
  const connection = { peer: '10.0.0.9', isEncrypted: true, raw: {}, signal };
  const body = async () => Buffer.alloc(0);
  return { id: '1', method, url: '/api/v1/jobs', body, ...connection, ...others, headers: given };
}

const change = (headers: Headers = {}, others: Partial<ConsoleRequest> = {}) =>
  request(headers, { method: 'POST', ...others });
const bearing = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const local = { peer: '127.0.0.1', isEncrypted: false };
const onLoopback: Headers = { host: 'localhost:3000', origin: 'http://localhost:3000' };

/** Parts of which some are wrong on purpose. */
type GivenParts = Partial<Record<keyof IdentityParts, unknown>>;

/** A console with accounts. */
function console(given: GivenParts = {}) {
  const clock = new VirtualClock();
  const written: string[] = [];
  const warned: unknown[][] = [];
  const log = {
    info: (line: string) => void written.push(line),
    warn: (...line: unknown[]) => void warned.push(line),
  };
  const auth: ConsoleAuth = {
    users: [anna],
    tokens: [
      { name: 'ci', role: 'viewer', sha256: viewer.sha256, jobPrefix: 'billing-', expires: '2030-01-02T00:00:00Z' },
      { name: 'root', role: 'admin', sha256: admin.sha256.toUpperCase() },
    ],
  };
  const limits = new RateLimits(clock);
  const parts = { auth, clock, limits, readOnly: false, requireReason: true, log, ...given };
  const identities: Identities = Reflect.construct(Identities, [parts]);
  return { identities, clock, written, warned };
}

/** The refusal of a request: its status and code. */
async function refusalOf(answer: Promise<unknown> | (() => unknown)): Promise<ConsoleProblem> {
  const error: unknown = await (typeof answer === 'function' ? (async () => answer())() : answer).then(
    () => new Error('it was not refused'),
    (problem: unknown) => problem,
  );
  if (error instanceof ConsoleProblem) return error;
  throw error;
}

async function statusOf(answer: Promise<unknown> | (() => unknown)): Promise<string> {
  const { status, code } = await refusalOf(answer);
  return `${status} ${code}`;
}

/** Logs anna in. @returns the `Cookie` header for later requests */
async function logIn(identities: Identities, headers: Headers = {}, others: Partial<ConsoleRequest> = {}) {
  const { headers: set } = await identities.logIn(change(headers, others), { name: 'anna', password: PASSWORD });
  return { cookie: set['set-cookie']!.split(';')[0]! };
}

describe('a token', () => {
  it('lets in with its role and prefix, also for a change without an Origin', async () => {
    const { identities } = console();

    expect(await identities.authenticate(request(bearing(viewer.token)))).toEqual({
      name: 'ci',
      role: 'viewer',
      jobPrefix: 'billing-',
      by: 'token',
    });
    const byCurl = change({ ...bearing(admin.token), origin: undefined });
    expect(await identities.authenticate(byCurl)).toMatchObject({ name: 'root', role: 'admin', jobPrefix: undefined });
  });

  it('is needed: without one, and without a session, the answer is 401 and says how (A01)', async () => {
    const { identities } = console();
    const without = [{}, { authorization: '' }, { cookie: 'a=b' }, { authorization: 'Basic YW5uYTpzZWNyZXQ=' }];

    for (const headers of without) {
      for (const asked of [request(headers), change(headers), change({ ...headers, origin: undefined })]) {
        const problem = await refusalOf(identities.authenticate(asked));
        expect(problem).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
        expect(problem.message).toContain('"Authorization: Bearer"');
      }
    }
  });

  it.each([
    ['forged', newToken().token],
    ['cut', viewer.token.slice(0, -1)],
    ['longer', `${viewer.token}A`],
    ['its own digest', viewer.sha256],
    ['empty', ''],
    ['with a line break (A14)', `${viewer.token}\r\nx: y`],
    ['two', `${viewer.token}, Bearer ${admin.token}`],
    ['a name of an object', '__proto__'],
    ['very long', 'a'.repeat(100_000)],
  ])('that is %s lets nobody in, and is not shown (A02, A20)', async (_, token) => {
    const { identities, warned, written } = console();
    const problem = await refusalOf(identities.authenticate(request(bearing(token))));

    expect(problem.status).toBe(401);
    const told = JSON.stringify([problem.message, problem.facts, warned, written]);
    expect(token !== '' && told.includes(token)).toBe(false);
  });

  it('that is wrong is not made good by a session', async () => {
    const { identities } = console();
    const cookie = await logIn(identities);

    expect(await statusOf(identities.authenticate(request({ ...cookie, ...bearing('wrong') })))).toContain('401');
    expect(await identities.authenticate(request({ ...cookie, authorization: 'Basic eDp5' }))).toBeDefined();
  });

  it('lets nobody in from the instant at which it expires (A03)', async () => {
    const { identities, clock } = console();
    await clock.advance(24 * 60 * MINUTE_MS - 1);
    expect(await identities.authenticate(request(bearing(viewer.token)))).toBeDefined();

    await clock.advance(1);
    expect(await statusOf(identities.authenticate(request(bearing(viewer.token))))).toBe('401 UNAUTHENTICATED');
    expect(await identities.authenticate(request(bearing(admin.token)))).toBeDefined();
  });

  it('does not need the store of sessions', async () => {
    const sessions = new MemorySessionStore();
    Object.assign(sessions, { find: () => Promise.reject(new Error('away')) });
    const tokens = [{ name: 'ci', role: 'viewer' as const, sha256: viewer.sha256 }];
    const { identities } = console({ auth: { users: [anna], tokens, sessions } });

    expect(await identities.authenticate(request(bearing(viewer.token)))).toMatchObject({ name: 'ci' });
  });
});

describe('a log-in', () => {
  it('answers what the user may and until when, and sets a cookie that no script and no other site gets', async () => {
    const { identities } = console();
    const { answer, headers } = await identities.logIn(change(), { name: 'anna', password: PASSWORD });

    expect(answer).toEqual({
      name: 'anna',
      role: 'operator',
      jobPrefix: 'billing-',
      readOnly: false,
      requireReason: true,
      by: 'page',
      idleUntil: '2030-01-01T00:30:00.000Z',
      expiresAt: '2030-01-01T12:00:00.000Z',
    });
    expect(headers['set-cookie']).toMatch(
      /^__Host-ej_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(await identities.authenticate(request({ cookie: headers['set-cookie']!.split(';')[0]! }))).toEqual({
      name: 'anna',
      role: 'operator',
      jobPrefix: 'billing-',
      by: 'page',
    });
  });

  it('with a wrong name or a wrong password is refused by the same words (A08)', async () => {
    const { identities } = console();
    const refusals = [];
    for (const name of ['anna', 'nobody', '__proto__', 'constructor']) {
      const { status, code, message, facts } = await refusalOf(
        identities.logIn(change(), { name, password: 'a wrong password' }),
      );
      refusals.push(JSON.stringify([status, code, message, facts]));
    }
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toContain('401');
  });

  it('is refused five times a minute at most, also with the right password (A08)', async () => {
    const { identities, clock } = console();
    const guess = async (password: string) => identities.logIn(change(), { name: 'anna', password });
    for (let count = 0; count < 5; count += 1) expect(await statusOf(guess('a wrong password'))).toContain('401');

    const refusal = await refusalOf(guess(PASSWORD));
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '12' } });
    await clock.advance(12_000);
    expect(await guess(PASSWORD)).toBeDefined();
  });

  it('is refused by the address that the proxy tells, not by the one that a client tells (A22)', async () => {
    const { identities } = console({ trustProxy: 1 });
    const refused = [];
    for (let count = 0; count < 21; count += 1) {
      const headers = { 'x-forwarded-for': `6.6.6.${count}, 1.1.1.1` };
      // A body that is wrong takes no turn of scrypt.
      const body = { name: `name-${count}`, password: 'x' };
      refused.push(await statusOf(identities.logIn(change(headers, aborted()), body).catch(asProblem)));
    }
    expect(refused.filter((status) => status.startsWith('429'))).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ['no texts', { name: 7, password: {} }],
    ['empty texts', { name: '', password: '' }],
    ['a list', []],
    ['an endless password', { name: 'anna', password: 'x'.repeat(1_025) }],
    ['an endless name', { name: 'x'.repeat(129), password: 'x' }],
    ['names of an object (A15)', JSON.parse('{"__proto__": {"name": "anna", "password": "x"}, "constructor": 1}')],
  ])('with %s is refused with all fields that are wrong', async (_, body) => {
    const problem = await refusalOf(logInBy(body));
    expect(problem).toMatchObject({ status: 400, code: 'INVALID_ARGUMENT' });
    expect(problem.facts.fields?.length).toBeGreaterThan(0);
  });

  it('gives a new id, whatever cookie the request has, and ends the session before (A07)', async () => {
    const { identities } = console();
    const fixed = { cookie: `__Host-ej_session=${'A'.repeat(43)}` };
    const first = await logIn(identities, fixed);
    expect(first).not.toEqual(fixed);

    const second = await logIn(identities, first);
    expect(second).not.toEqual(first);
    for (const cookie of [fixed, first])
      expect(await statusOf(identities.authenticate(request(cookie)))).toContain('401');
    expect(await identities.authenticate(request(second))).toBeDefined();
  });

  it('over plain HTTP is refused with the option that helps, before the password is looked at (A22)', async () => {
    const { identities } = console();
    const plain = [
      change({ origin: `http://${HOST}` }, { isEncrypted: false }),
      change({ origin: `http://${HOST}`, 'x-forwarded-proto': 'https' }, { isEncrypted: false }),
      // A proxy on this host that tells nothing.
      change({ origin: `http://${HOST}` }, local),
      change({ ...onLoopback, 'x-forwarded-for': '1.1.1.1' }, local),
      change(onLoopback, { ...local, peer: '10.0.0.1' }),
    ];
    for (const asked of plain) {
      const problem = await refusalOf(identities.logIn(asked, { name: 'anna', password: PASSWORD }));
      expect(problem).toMatchObject({ status: 403, facts: { option: 'trustProxy' } });
      expect(problem.message).toContain('X-Forwarded-Proto: https');
    }
  });

  it('behind a proxy with https is let in with trustProxy', async () => {
    const { identities } = console({ trustProxy: ['10.0.0.0/8'] });
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '1.1.1.1' };
    const cookie = await logIn(identities, headers, { isEncrypted: false });

    expect(cookie.cookie).toMatch(/^__Host-/);
    expect(await identities.authenticate(request({ ...headers, ...cookie }, { isEncrypted: false }))).toBeDefined();
    expect(await statusOf(identities.authenticate(request(cookie, { isEncrypted: false })))).toContain('401');
  });

  it('on this host has a cookie that is not Secure, which counts there alone', async () => {
    const { identities } = console();
    const { headers } = await identities.logIn(change(onLoopback, local), { name: 'anna', password: PASSWORD });
    const cookie = { cookie: headers['set-cookie']!.split(';')[0]! };

    expect(headers['set-cookie']).toMatch(/^ej_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(await identities.authenticate(request({ ...onLoopback, ...cookie }, local))).toBeDefined();
    for (const elsewhere of [request(cookie), request(cookie, local), request(cookie, { isEncrypted: false })]) {
      expect(await statusOf(identities.authenticate(elsewhere))).toContain('401');
    }
  });

  it('does not exist where there are no users', async () => {
    const tokens = [{ name: 'ci', role: 'viewer' as const, sha256: viewer.sha256 }];
    for (const auth of [{ tokens }, () => undefined]) {
      const { identities } = console({ auth });
      const problem = await refusalOf(identities.logIn(change(), { name: 'anna', password: PASSWORD }));
      expect(problem).toMatchObject({ status: 403, facts: { option: 'auth' } });
    }
  });
});

/** A log-in whose body is wrong on purpose. */
function logInBy(body: unknown): Promise<unknown> {
  const { identities } = console();
  return Reflect.apply(Reflect.get(identities, 'logIn'), identities, [change(), body]);
}

/** A client that has gone, for whom nothing is hashed. */
function aborted(): Partial<ConsoleRequest> {
  const gone = new AbortController();
  gone.abort(new ConsoleProblem(401, 'UNAUTHENTICATED', 'the client has gone'));
  return { signal: gone.signal };
}

function asProblem(error: unknown): never {
  throw error;
}

describe('a session', () => {
  it('ends 30 minutes after its last use, and 12 hours after its log-in (A03)', async () => {
    const { identities, clock } = console();
    const cookie = await logIn(identities);
    for (let count = 0; count < 25; count += 1) {
      await clock.advance(28 * MINUTE_MS);
      await identities.authenticate(request(cookie));
    }
    await clock.advance(20 * MINUTE_MS);
    expect(await statusOf(identities.authenticate(request(cookie)))).toContain('401');

    const idle = await logIn(identities);
    await clock.advance(30 * MINUTE_MS);
    expect(await statusOf(identities.authenticate(request(idle)))).toContain('401');
  });

  it('becomes idle also while a stream looks again and again whether it goes on', async () => {
    const { identities, clock } = console();
    const asked = request(await logIn(identities));
    for (let count = 0; count < 29; count += 1) {
      await clock.advance(MINUTE_MS);
      await identities.authenticate(asked, false);
    }
    await clock.advance(MINUTE_MS);
    expect(await statusOf(identities.authenticate(asked, false))).toContain('401');
  });

  it('tells its ends, which a use moves', async () => {
    const { identities, clock } = console();
    const asked = request(await logIn(identities));
    await clock.advance(10 * MINUTE_MS);
    const caller = await identities.authenticate(asked);

    expect(await identities.session(asked, caller)).toMatchObject({
      idleUntil: '2030-01-01T00:40:00.000Z',
      expiresAt: '2030-01-01T12:00:00.000Z',
    });
    await clock.advance(10 * MINUTE_MS);
    const byToken = request(bearing(admin.token));
    expect(await identities.session(byToken, await identities.authenticate(byToken))).toMatchObject({
      name: 'root',
      jobPrefix: null,
      by: 'token',
      idleUntil: null,
      expiresAt: null,
    });
  });

  it('ends at its log-out, also for other consoles of the store, and the cookie goes (A07)', async () => {
    const sessions = new MemorySessionStore();
    const [one, other] = [0, 1].map(() => console({ auth: { users: [anna], sessions } }).identities);
    const cookie = await logIn(one!);
    expect(await other!.authenticate(request(cookie))).toBeDefined();

    const { headers } = await one!.logOut(request(cookie, { method: 'DELETE' }));
    expect(headers['set-cookie']).toBe('__Host-ej_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure');
    for (const identities of [one!, other!]) {
      expect(await statusOf(identities.authenticate(request(cookie)))).toContain('401');
    }
    expect(await other!.logOut(request(cookie, { method: 'DELETE' }))).toBeDefined();
  });

  it('of another console is none here (A02)', async () => {
    const cookie = await logIn(console().identities);
    expect(await statusOf(console().identities.authenticate(request(cookie)))).toContain('401');
  });

  it('is kept without its id, so that a reader of the store is not let in', async () => {
    const sessions = new MemorySessionStore();
    const kept: string[] = [];
    const add = sessions.add.bind(sessions);
    sessions.add = (session) => {
      kept.push(JSON.stringify(session), session.key);
      return add(session);
    };
    const { identities } = console({ auth: { users: [anna], sessions } });
    const { cookie } = await logIn(identities);

    expect(kept[0]).not.toContain(cookie.split('=')[1]);
    expect(kept[0]).not.toContain(anna.password);
    expect(await statusOf(identities.authenticate(request({ cookie: `__Host-ej_session=${kept[1]}` })))).toContain(
      '401',
    );
  });

  it.each<[string, (own: string) => string]>([
    ['twice, as another site of the domain may have set one', (own) => `${own}; ${own}`],
    ['beside another one of the name', (own) => `__Host-ej_session=${'A'.repeat(43)}; ${own}`],
    ['under the name for plain HTTP', (own) => own.replace('__Host-', '')],
    ['under a name that ends so', (own) => `x${own}`],
    ['with more behind it', (own) => `${own}=`.replace('=', '=x')],
  ])('whose cookie comes %s lets nobody in', async (_, change_) => {
    const { identities } = console();
    const { cookie } = await logIn(identities);

    expect(await identities.authenticate(request({ cookie: `a=b; ${cookie}; c=d` }))).toBeDefined();
    expect(await statusOf(identities.authenticate(request({ cookie: change_(cookie) })))).toContain('401');
  });

  it('has at the next request no more rights than its user then has (A03)', async () => {
    const sessions = new MemorySessionStore();
    const withUser = (user: ConsoleUser | undefined) => {
      const other: ConsoleUser = { ...anna, name: 'ben' };
      return console({ auth: { users: user ? [other, user] : [other], sessions } }).identities;
    };
    const cookie = await logIn(withUser(anna));
    const callerAs = (user: ConsoleUser | undefined) => withUser(user).authenticate(request(cookie));

    expect(await callerAs({ ...anna, role: 'viewer' })).toMatchObject({ role: 'viewer' });
    // Higher rights need a log-in.
    expect(await callerAs({ ...anna, role: 'admin' })).toMatchObject({ role: 'operator' });
    for (const user of [
      undefined,
      { ...anna, name: 'Anna' },
      { ...anna, jobPrefix: 'other-' },
      { name: 'anna', role: 'operator', password: anna.password } as const,
      { ...anna, password: await hashPassword('another password') },
    ]) {
      expect(await statusOf(callerAs(user))).toContain('401');
    }
    expect(await callerAs(anna)).toMatchObject({ role: 'operator' });
  });

  it('cannot be used or ended while the store is away: 503 without its text, warned of once a minute', async () => {
    const sessions = new MemorySessionStore();
    const { identities, clock, warned } = console({ auth: { users: [anna], sessions } });
    const cookie = await logIn(identities);
    const away = async (): Promise<never> => {
      throw new Error('connect ECONNREFUSED postgres://anna:secret@db');
    };
    Object.assign(sessions, { find: away, remove: away, prune: away });

    for (const ask of [
      identities.authenticate(request(cookie)),
      identities.logOut(request(cookie, { method: 'DELETE' })),
      identities.logIn(change(), { name: 'anna', password: PASSWORD }),
    ]) {
      const problem = await refusalOf(ask);
      expect(problem).toMatchObject({ status: 503, code: 'SESSIONS_AWAY', headers: { 'retry-after': '5' } });
      expect(problem.message).not.toContain('secret');
    }
    expect(warned).toHaveLength(1);
    await clock.advance(MINUTE_MS);
    await statusOf(identities.authenticate(request(cookie)));
    expect(warned).toHaveLength(2);
  });

  it('whose store does not answer is a 503 after five seconds', async () => {
    const sessions = new MemorySessionStore();
    const { identities, clock } = console({ auth: { users: [anna], sessions } });
    const cookie = await logIn(identities);
    Object.assign(sessions, { find: () => new Promise(() => {}) });

    const refusal = statusOf(identities.authenticate(request(cookie)));
    await clock.advance(5_000);
    expect(await refusal).toBe('503 SESSIONS_AWAY');
  });
});

describe('a change', () => {
  it('by a session needs the Origin of the console (A06)', async () => {
    const { identities } = console();
    const cookie = await logIn(identities);
    const by = (headers: Headers, others?: Partial<ConsoleRequest>) =>
      identities.authenticate(change({ ...cookie, ...headers }, others));

    expect(await by({})).toBeDefined();
    expect(await by({ 'sec-fetch-site': 'same-origin', host: `${HOST}:443` })).toBeDefined();
    for (const headers of [
      { origin: undefined },
      { origin: 'null' },
      { origin: '' },
      { origin: 'https://evil.example' },
      { origin: `https://${HOST}.evil.example` },
      { origin: `https://evil.example#${ORIGIN}` },
      { origin: `https://${HOST}@evil.example` },
      { origin: `https://${HOST}:8443` },
      { origin: `http://${HOST}` },
      { origin: `${ORIGIN}/` },
      { origin: `${ORIGIN}, ${ORIGIN}` },
      { origin: undefined, referer: `${ORIGIN}/` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: undefined, 'sec-fetch-site': 'same-origin' },
    ]) {
      expect([headers, await statusOf(by(headers))]).toEqual([headers, '403 ORIGIN_NOT_ALLOWED']);
    }
    for (const method of ['PATCH', 'DELETE', 'PUT', 'post', 'SEARCH']) {
      expect(await statusOf(by({ origin: 'https://evil.example' }, { method }))).toBe('403 ORIGIN_NOT_ALLOWED');
    }
  });

  it('from another site does not even log out or in (A06)', async () => {
    const { identities } = console();
    const cookie = await logIn(identities);
    const foreign = change({ ...cookie, origin: 'https://evil.example' });

    for (const asked of [foreign, { ...foreign, headers: { ...foreign.headers, ...bearing(admin.token) } }]) {
      expect(await statusOf(identities.logOut(asked))).toBe('403 ORIGIN_NOT_ALLOWED');
      const body = { name: 'anna', password: PASSWORD };
      expect(await statusOf(identities.logIn(asked, body))).toBe('403 ORIGIN_NOT_ALLOWED');
    }
    expect(await identities.authenticate(request(cookie))).toBeDefined();
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
    'application/jsonx',
    'application/json; charset=utf-16',
    'text/plain; application/json',
    '',
  ])('whose body is "%s" is refused, by a token too (A06, A16)', async (type) => {
    const { identities } = console();
    const headers = { ...bearing(admin.token), 'content-type': type, 'content-length': '2' };
    expect(await statusOf(identities.authenticate(change(headers)))).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  it('has a body of JSON, or none', async () => {
    const { identities } = console();
    const ofType = (type: string | undefined, body: Headers) =>
      identities.authenticate(change({ ...bearing(admin.token), 'content-type': type, ...body }));

    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      expect(await ofType(type, { 'content-length': '2' })).toBeDefined();
    }
    expect(await ofType(undefined, {})).toBeDefined();
    expect(await ofType(undefined, { 'content-length': '0' })).toBeDefined();
    expect(await statusOf(ofType(undefined, { 'content-length': '2' }))).toContain('415');
    expect(await statusOf(ofType(undefined, { 'transfer-encoding': 'chunked' }))).toContain('415');
  });
});

describe('the host that is asked', () => {
  const asked = (host: string | undefined, hosts?: readonly string[], origin?: string) => {
    const { identities } = console({ ...(hosts && { hosts }) });
    return identities.authenticate(change({ ...bearing(admin.token), host, origin }));
  };

  it('is any without the option hosts, and must be one', async () => {
    expect(await asked('whatever.example:8080')).toBeDefined();
    for (const host of [undefined, '', 'a b', 'a/b', 'user@a', 'a:x', 'a,b', 'a\r\nb', '[::1', 'a:99999']) {
      expect([host, await statusOf(asked(host))]).toEqual([host, '421 HOST_NOT_ALLOWED']);
    }
  });

  it('is one of the option hosts, in any case and on any port (A06: DNS rebinding)', async () => {
    for (const host of [HOST, 'OPS.example.com', `${HOST}:3000`]) expect(await asked(host, [HOST])).toBeDefined();
    for (const host of ['evil.example', `${HOST}.evil.example`, `${HOST}.`, 'localhost', '127.0.0.1', '10.0.0.1']) {
      expect([host, await statusOf(asked(host, [HOST]))]).toEqual([host, '421 HOST_NOT_ALLOWED']);
    }
  });

  it('may be another one than in Origin behind a proxy, if hosts has both', async () => {
    const { identities } = console({ hosts: [HOST, 'internal:3000'], trustProxy: 1 });
    const way = { host: 'internal:3000', 'x-forwarded-proto': 'https' };
    const cookie = await logIn(identities, way, { isEncrypted: false });
    const by = (origin: string) =>
      identities.authenticate(change({ ...way, ...cookie, origin }, { isEncrypted: false }));

    expect(await by(ORIGIN)).toBeDefined();
    for (const origin of ['https://evil.example', `https://${HOST}:8443`, 'https://internal']) {
      expect(await statusOf(by(origin))).toBe('403 ORIGIN_NOT_ALLOWED');
    }
    const lied = change({ ...way, ...cookie, 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' });
    expect(await statusOf(identities.authenticate(lied))).toBe('403 ORIGIN_NOT_ALLOWED');
  });
});

describe('without the option auth', () => {
  async function printed() {
    const parts = console({ auth: undefined });
    await parts.identities.start();
    await parts.identities.start();
    const [, name = '', password = ''] = /as "(\w+)" with ([\w-]{22}) until/.exec(parts.written[0] ?? '') ?? [];
    return { ...parts, body: { name, password } };
  }

  it('one admin logs in from this host, with a password of 128 bits that is written once', async () => {
    const { identities, body, written } = await printed();
    const { answer, headers } = await identities.logIn(change(onLoopback, local), body);
    const cookie = { cookie: headers['set-cookie']!.split(';')[0]! };

    expect(written).toHaveLength(1);
    expect(answer).toMatchObject({ name: 'admin', role: 'admin', jobPrefix: null, by: 'page' });
    expect(await identities.authenticate(request({ ...onLoopback, ...cookie }, local))).toMatchObject({
      role: 'admin',
    });

    const other = await printed();
    expect(other.body.password).not.toBe(body.password);
    expect(await statusOf(other.identities.logIn(change(onLoopback, local), body))).toContain('401');
    await identities.stop();
    expect(await statusOf(identities.authenticate(request({ ...onLoopback, ...cookie }, local)))).toContain('401');
  });

  it('nobody gets in before the start', async () => {
    const { identities } = console({ auth: undefined });
    expect(await statusOf(identities.authenticate(request(onLoopback, local)))).toContain('401');
    expect(await statusOf(identities.logIn(change(onLoopback, local), { name: 'admin', password: 'x' }))).toContain(
      '403',
    );
  });

  it('nobody else is answered, with the password too: no other peer, no proxy, no other name (A22, A06)', async () => {
    const { identities, body } = await printed();
    const asked = (headers: Headers, others: Partial<ConsoleRequest> = {}) =>
      change({ ...onLoopback, ...headers }, { ...local, ...others });

    for (const [status, refused] of [
      ['403 FORBIDDEN', asked({}, { peer: '10.0.0.1' })],
      ['403 FORBIDDEN', asked({}, { peer: '10.0.0.1', isEncrypted: true })],
      ['403 FORBIDDEN', asked({ 'x-forwarded-for': '127.0.0.1' })],
      ['403 FORBIDDEN', asked({ 'x-forwarded-for': '' })],
      ['403 FORBIDDEN', asked({ 'x-forwarded-host': 'localhost' })],
      ['403 FORBIDDEN', asked({ 'x-forwarded-whatever': '1' })],
      ['403 FORBIDDEN', asked({ forwarded: 'for=127.0.0.1' })],
      ['403 FORBIDDEN', asked({ 'x-real-ip': '127.0.0.1' })],
      ['421 HOST_NOT_ALLOWED', asked({ host: 'rebound.evil.example:3000' })],
      ['421 HOST_NOT_ALLOWED', asked({ host: '10.0.0.1' })],
      ['421 HOST_NOT_ALLOWED', asked({ host: 'localhost.evil.example' })],
      ['403 ORIGIN_NOT_ALLOWED', asked({ origin: 'http://evil.example' })],
      ['403 ORIGIN_NOT_ALLOWED', asked({ origin: 'http://localhost:8080' })],
    ] as const) {
      expect(await statusOf(identities.logIn(refused, body))).toBe(status);
      expect(await statusOf(identities.logOut(refused))).toBe(status);
    }
    for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(
        await identities.logIn(asked({ host: '[::1]:3000', origin: 'http://[::1]:3000' }, { peer }), body),
      ).toBeDefined();
    }
  });
});

describe('a function of the application', () => {
  it('gets the request as its framework has it, and says who asks', async () => {
    const given: unknown[] = [];
    const auth = async (raw: unknown) => {
      given.push(raw);
      return { name: 'anna', role: 'operator' as const, jobPrefix: 'billing-' };
    };
    const { identities } = console({ auth });
    const raw = { user: 'anna' };

    expect(await identities.authenticate(request({}, { raw }))).toEqual({
      name: 'anna',
      role: 'operator',
      jobPrefix: 'billing-',
      by: 'host',
    });
    expect(given[0]).toBe(raw);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('jwt malformed: hunter2');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('jwt malformed: hunter2');
      },
    ],
    ['returns a role that there is not', () => ({ name: 'anna', role: 'root' })],
    ['returns a name that is none', () => ({ name: 'an\r\nna', role: 'admin' })],
    ['returns an empty prefix (A05)', () => ({ name: 'anna', role: 'admin', jobPrefix: '' })],
    ['returns true', () => true],
    [
      'returns what throws when it is read',
      () => ({
        get name() {
          throw new Error('hunter2');
        },
      }),
    ],
  ])('that %s lets nobody in, and only the log says why (A20)', async (_, auth) => {
    const { identities, warned } = console({ auth });
    const problem = await refusalOf(identities.authenticate(request()));

    expect(problem.status).toBe(401);
    expect(problem.message).not.toContain('hunter2');
    expect(warned).toHaveLength(1);
  });

  it('that knows nobody lets nobody in, and nothing is logged', async () => {
    for (const nobody of [undefined, null]) {
      const { identities, warned } = console({ auth: () => nobody });
      expect(await statusOf(identities.authenticate(request()))).toBe('401 UNAUTHENTICATED');
      expect(warned).toEqual([]);
    }
  });

  it('that never answers lets nobody in after ten seconds', async () => {
    const { identities, clock, warned } = console({ auth: () => new Promise(() => {}) });
    const refusal = statusOf(identities.authenticate(request()));
    await clock.advance(10_000);

    expect(await refusal).toBe('401 UNAUTHENTICATED');
    expect(warned).toHaveLength(1);
  });

  it('may look at cookies, so a change needs the Origin, or a header that no other site sends (A06)', async () => {
    const { identities } = console({ auth: () => ({ name: 'anna', role: 'admin' as const }) });
    const by = (headers: Headers) => identities.authenticate(change(headers));

    expect(await by({})).toBeDefined();
    expect(await by({ origin: undefined, ...bearing('a token of the application') })).toBeDefined();
    for (const headers of [
      { origin: undefined },
      { origin: undefined, authorization: 'Basic eDp5' },
      { origin: 'https://evil.example', ...bearing('a token of the application') },
      { origin: undefined, 'sec-fetch-site': 'cross-site', ...bearing('x') },
    ]) {
      expect([headers, await statusOf(by(headers))]).toEqual([headers, '403 ORIGIN_NOT_ALLOWED']);
    }
  });
});

describe('a URL', () => {
  it.each(['token', 'password', 'access_token', 'ACCESS_TOKEN', '%74oken', 'api_key', 'authorization', 'session'])(
    'with %s is refused: it says where that belongs, and does not repeat it (A20)',
    async (name) => {
      const { identities } = console();
      const asked = request(bearing(admin.token), { url: `/api/v1/jobs?q=a&${name}=hunter2` });
      const problem = await refusalOf(identities.authenticate(asked));

      expect(problem).toMatchObject({ status: 400, code: 'INVALID_ARGUMENT' });
      expect(problem.facts.fields?.[0]?.problem).toMatch(/^belongs in the /);
      expect(JSON.stringify([problem.message, problem.facts])).not.toContain('hunter2');
      expect(
        await statusOf(
          identities.logIn(change({}, { url: `/api/v1/session?${name}=x` }), { name: 'a', password: 'b' }),
        ),
      ).toContain('400');
    },
  );

  it('may have any other query', async () => {
    const asked = request(bearing(admin.token), { url: '/api/v1/jobs?q=token&status=OK&cursor=a%' });
    expect(await console().identities.authenticate(asked)).toBeDefined();
  });
});
