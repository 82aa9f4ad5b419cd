import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { hashPassword, type SessionStore } from '@app/elastic-job/console';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { plantHostileNodes } from './support/hostile-tree.js';
import { AUTH, FRAMEWORKS, startConsole, TOKENS } from './support/console-application.js';
import { treeOf } from './support/tree.js';

const PASSWORD = 'correct horse battery';
const TRIGGER = '/jobs/settle-orders/trigger';
let hash: string;
let otherHash: string;

beforeAll(async () => {
  [hash, otherHash] = await Promise.all([hashPassword(PASSWORD), hashPassword('another long password')]);
});

type Session = Parameters<SessionStore['add']>[0];

/** Sessions that several consoles share. */
function sharedSessions(): SessionStore {
  const sessions = new Map<string, Session>();
  return {
    add: async (session) => void sessions.set(session.key, session),
    find: async (key) => sessions.get(key),
    touch: async (key, usedAt) => {
      const session = sessions.get(key);
      if (session !== undefined) sessions.set(key, { ...session, usedAt });
    },
    remove: async (key) => void sessions.delete(key),
    prune: async () => {},
  };
}

type Console = Awaited<ReturnType<typeof startConsole>>;

/** Logs ada in. @returns her cookie */
async function logIn({ ask, origin }: Console, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const body = { name: 'ada', password: PASSWORD };
  const answer = await ask('POST', '/session', { token: '', body, headers: { origin, ...headers } });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

/** A change by a page of the console. */
async function statusWith({ ask, origin }: Console, cookie: string): Promise<number> {
  return (await ask('POST', TRIGGER, { token: '', body: {}, headers: { cookie, origin } })).status;
}

describe.each(FRAMEWORKS)('the console on %s', { timeout: 60_000 }, (framework) => {
  it('lets nobody in by a token that was revoked, and by the session of another console (A02, A03)', async () => {
    const users = [{ name: 'ada', role: 'admin' as const, password: hash }];
    const first = await startConsole({ framework, console: { auth: { users, tokens: AUTH.tokens } } });
    const cookie = await logIn(first);
    expect([await statusWith(first, cookie), (await first.ask('GET', '/jobs')).status]).toEqual([202, 200]);

    const next = await startConsole({ framework, console: { auth: { users } } });
    expect(await statusWith(next, cookie)).toBe(401);
    expect((await next.ask('GET', '/jobs')).status).toBe(401);
  });

  it('gives a session no more than its user then has, and nothing after another password (A03)', async () => {
    const sessions = sharedSessions();
    const as = (role: 'admin' | 'viewer', password = hash) =>
      startConsole({ framework, console: { auth: { users: [{ name: 'ada', role, password }], sessions } } });
    const cookie = await logIn(await as('admin'));

    expect(await statusWith(await as('admin'), cookie)).toBe(202);
    expect(await statusWith(await as('viewer'), cookie)).toBe(403);
    expect(await statusWith(await as('admin', otherHash), cookie)).toBe(401);
  });

  it('ends a session at its log-out, and takes none that the client has chosen (A07)', async () => {
    const console = await startConsole({
      framework,
      console: { auth: { users: [{ name: 'ada', role: 'admin', password: hash }] } },
    });
    const { ask, origin } = console;
    const fixed = `ej_session=${'A'.repeat(43)}`;
    const cookie = await logIn(console, { cookie: fixed });
    expect(cookie).not.toBe(fixed);
    expect(await statusWith(console, fixed)).toBe(401);
    expect(await statusWith(console, cookie)).toBe(202);
    expect(await statusWith(console, `${cookie}; ${fixed}`)).toBe(401);

    expect((await ask('DELETE', '/session', { token: '', headers: { cookie, origin } })).status).toBe(204);
    expect(await statusWith(console, cookie)).toBe(401);
    const other = await logIn(console);
    const { json } = await ask('GET', '/audit', { token: '', headers: { cookie: other } });
    const sessions = json.items.filter(({ action }: { action: string }) => action.startsWith('session.'));
    expect(sessions.map(({ action, who }: { action: string; who: string }) => `${action} ${who}`)).toEqual([
      'session.login ada',
      'session.logout ada',
      'session.login ada',
    ]);
  });

  it('is refused to pages of other sites, and to another name of this host (A06)', async () => {
    const console = await startConsole({
      framework,
      console: { auth: { users: [{ name: 'ada', role: 'admin', password: hash }], tokens: AUTH.tokens } },
    });
    const cookie = await logIn(console);
    const { app, ask, base, origin } = console;
    const before = await treeOf(app);
    const statusFrom = async (headers: Readonly<Record<string, string>>, body: unknown = {}) =>
      (await ask('POST', TRIGGER, { token: '', body, headers: { cookie, ...headers } })).status;
    expect(await statusFrom({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusFrom({ origin: 'null' })).toBe(403);
    expect(await statusFrom({ origin: origin.replace('127.0.0.1', '127.0.0.2') })).toBe(403);
    expect(await statusFrom({})).toBe(403);
    expect(await statusFrom({ origin, 'content-type': 'text/plain' }, '{}')).toBe(415);
    expect(await treeOf(app)).toEqual(before);

    const listed = await startConsole({ framework, console: { hosts: ['ops.example'] } });
    const printed = await startConsole({ framework, console: { auth: undefined } });
    for (const { port } of [listed, printed]) {
      const url = new URL(base);
      url.port = String(port);
      const asked = httpRequest(`${url.href}/jobs`, {
        agent: false,
        headers: { host: 'evil.example', authorization: `Bearer ${TOKENS.admin}` },
      }).end();
      const [answer] = await once(asked, 'response');
      expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([421, expect.anything()]);
    }
  });

  it('lets nobody guess passwords, and keeps who has tried (A08)', async () => {
    const users = [{ name: 'ada', role: 'admin' as const, password: hash }];
    // One more comes after 30 s: the tries take less, also on a busy machine.
    const console = { auth: { users, tokens: AUTH.tokens }, limits: { logInsPerName: 2, readsPerSecond: 10_000 } };
    const { ask, origin } = await startConsole({ framework, console });
    const tryAs = (name: string, password: string) =>
      ask('POST', '/session', { token: '', body: { name, password }, headers: { origin } });
    const tries: Awaited<ReturnType<typeof ask>>[] = [];
    for (let count = 0; count < 2; count += 1) tries.push(await tryAs('ada', `guess ${count}`));
    const right = await tryAs('ada', PASSWORD);
    const unknown = await tryAs('nobody at all', 'guess');

    expect(tries.map(({ status }) => status)).toEqual([401, 401]);
    expect([right.status, Number(right.headers.get('retry-after'))]).toEqual([429, expect.toSatisfy((s) => s > 0)]);
    expect({ ...unknown.json, requestId: '' }).toEqual({ ...tries[0]!.json, requestId: '' });
    await vi.waitFor(async () => {
      const { json } = await ask('GET', '/audit?action=session.login');
      expect(json.items).toMatchObject([
        { who: null, outcome: 'refused', code: 'UNAUTHENTICATED' },
        { who: 'ada', outcome: 'refused', code: 'TOO_MANY_REQUESTS' },
        { who: 'ada', outcome: 'refused', code: 'UNAUTHENTICATED' },
      ]);
      expect(JSON.stringify(json)).not.toMatch(/guess|correct horse|nobody at all/);
    }, 5_000);
  });

  it.each([
    ['a%2f..%2fb', 400],
    ['a%00b', 400],
    ['a%7fb', 400],
    ['a%0d%0aset-cookie:x=1', 400],
    ['a%e2%80%aeb', 400],
    ['x'.repeat(1_025), 400],
    ['x'.repeat(8_200), 404],
    ['zookeeper', 400],
    ['%252e%252e', 404],
    ['__proto__', 404],
    ['constructor', 404],
  ])('has no job and no server %s (A09, A14)', async (name, status) => {
    const { ask } = await startConsole({ framework });
    for (const answer of [
      await ask('GET', `/jobs/${name}`),
      await ask('POST', `/jobs/${name}/trigger`, { body: {} }),
      await ask('GET', `/servers/${name}`),
    ]) {
      expect(answer.status).toBe(status);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  // A browser and `fetch` resolve dots themselves, so these are sent as they are.
  it.each([
    '/jobs/..',
    '/jobs/%2e%2e',
    '/jobs/billing-run/../settle-orders',
    '/jobs/billing-%2f..%2fsettle-orders',
    '/jobs/billing-run/..;/settle-orders',
    '/jobs//settle-orders',
    '//jobs/settle-orders',
    '/jobs/settle-orders/',
    '/jobs/settle-orders;x=1',
    '/jobs/%73ettle-orders',
    '/JOBS/settle-orders',
    '/nothing/../jobs/settle-orders',
  ])('leads nobody with a job prefix to another job by %s (A05, A09)', async (path) => {
    const { port } = await startConsole({ framework });
    const asked = httpRequest({
      agent: false,
      headers: { authorization: `Bearer ${TOKENS.scoped}` },
      host: '127.0.0.1',
      path: `/elastic-job/api/v1${path}`,
      port,
    }).end();
    const [answer] = await once(asked, 'response');
    expect([400, 404]).toContain(answer.statusCode);
    expect(await text(answer)).not.toContain('finance');
  });

  it('takes a cursor of its own queries alone, which gives no right (A11)', async () => {
    const { ask } = await startConsole({ framework });
    await vi.waitFor(async () => expect((await ask('GET', '/jobs?limit=1')).json.cursor).not.toBeNull(), 10_000);
    const { cursor } = (await ask('GET', '/jobs?limit=1')).json;
    const forged = Buffer.from('["x",{"__proto__":1}]').toString('base64url');
    const lists = ['/jobs?q=settle&', '/servers?', '/audit?', '/jobs/settle-orders/items?'];
    for (const given of [forged, 'AAAA', '%00', "' OR 1=1 --", 'x'.repeat(2_000)]) {
      for (const list of lists) {
        const answer = await ask('GET', `${list}cursor=${encodeURIComponent(given)}`);
        expect({ list, given, status: answer.status }).toEqual({ list, given, status: 400 });
      }
    }
    for (const list of lists) expect((await ask('GET', `${list}cursor=${cursor}`)).status).toBe(400);
    const scoped = await ask('GET', `/jobs?limit=1&cursor=${cursor}`, { token: TOKENS.scoped });
    expect([scoped.status, scoped.json.items]).toEqual([200, []]);
  });

  it('shows texts with markup as JSON that no browser runs (A12, A14)', async () => {
    const { ask } = await startConsole({ framework });
    const evil = '<script>alert(1)</script><a href="javascript:alert(1)">x</a>';
    const { headers } = await ask('GET', '/jobs/settle-orders/config');
    const change = { settings: { description: evil }, reason: evil };
    const made = await ask('PATCH', '/jobs/settle-orders/config', {
      body: change,
      headers: { 'if-match': headers.get('etag')!, 'x-request-id': 'mine\u00e9' },
    });
    expect(made.status).toBe(200);
    expect((await ask('GET', '/audit')).json.items[0].reason).toBe(evil);
    const split = await ask('POST', TRIGGER, { body: { reason: 'x\r\nx-forged: 1' } });
    expect([split.status, split.json.fields]).toEqual([400, [expect.objectContaining({ field: 'reason' })]]);
    for (const path of ['/jobs/settle-orders', '/jobs/settle-orders/config', '/jobs/settle-orders/dump', '/audit']) {
      const answer = await ask('GET', path);
      expect(answer.headers.get('content-type')).toMatch(/^(?:application\/json|text\/plain); charset=utf-8$/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('x-request-id')).not.toContain('mine');
    }
  });

  it('serves others and closes while a client takes nothing from its stream (A18)', async () => {
    const { ask, close, port } = await startConsole({ framework });
    const never = connect(port, '127.0.0.1').pause();
    never.on('error', () => {});
    never.write(
      'GET /elastic-job/api/v1/live?topics=overview,jobs,job:settle-orders HTTP/1.1\r\nhost: 127.0.0.1\r\n' +
        `authorization: Bearer ${TOKENS.viewer}\r\n\r\n`,
    );
    for (let count = 0; count < 20; count += 1) {
      const action = count % 2 === 0 ? 'disable' : 'enable';
      expect((await ask('POST', `/jobs/settle-orders/items/0/${action}`, { body: {} })).status).toBe(200);
    }
    const began = performance.now();
    await close();
    expect(performance.now() - began).toBeLessThan(5_000);
    never.destroy();
  });

  it('points no job at another program or address, also by a mask that is sent back (A19)', async () => {
    const { app, ask } = await startConsole({ framework });
    const before = await treeOf(app);
    const { headers } = await ask('GET', '/jobs/settle-orders/config');
    for (const props of [
      { 'script.command.line': '/bin/sh -c id' },
      { 'script.command.line': 'hidden' },
      { 'http.uri': 'http://169.254.169.254/latest/meta-data' },
      { 'http.uri': 'file:///etc/passwd' },
      { 'slack.webhook': 'http://127.0.0.1:6379/' },
    ]) {
      const answer = await ask('PATCH', '/jobs/settle-orders/config', {
        body: { settings: { props } },
        headers: { 'if-match': headers.get('etag')! },
      });
      const right = Object.values(props).includes('hidden') ? [200, undefined] : [403, 'TARGET_NOT_ALLOWED'];
      expect([props, answer.status, answer.json.code]).toEqual([props, ...right]);
    }
    const config = '/settle-orders/config';
    expect((await treeOf(app))[config]).toBe(before[config]);
  });

  it('answers within its time whatever somebody has written to the tree (A21)', async () => {
    const { app, ask } = await startConsole({ framework });
    const { jobs, noJob } = await plantHostileNodes(app);
    await vi.waitFor(async () => {
      const { json } = await ask('GET', '/jobs?limit=200');
      expect(json.items.map(({ job }: { job: string }) => job)).toEqual(expect.arrayContaining([...jobs]));
      expect(json.indexed).toBe(json.total);
    }, 15_000);
    for (const job of [...jobs, 'settle-orders']) {
      const url = `/jobs/${encodeURIComponent(job)}`;
      for (const part of ['', '/items', '/items/0', '/config', '/failover', '/dump', '/fire-times']) {
        const began = performance.now();
        const { status } = await ask('GET', url + part);
        expect({ job, part, status }).toEqual({ job, part, status: expect.toBeOneOf([200, 404, 409]) });
        expect(performance.now() - began).toBeLessThan(2_000);
      }
    }
    expect((await ask('GET', `/jobs/${encodeURIComponent(noJob)}`)).status).toBe(400);
    for (const path of ['/overview', '/servers', '/audit']) expect((await ask('GET', path)).status).toBe(200);
    expect((await ask('POST', TRIGGER, { body: {} })).status).toBe(202);
  });
});
