import {
  change,
  gate,
  HOST,
  local,
  logIn,
  onLoopback,
  PASSWORD,
  refusalOf,
  request,
  statusOf,
  viewer,
} from '@test/support/unit/console-gate.js';
import { describe, expect, it } from 'vitest';
import { ConsoleProblem, type ConsoleRequest } from '../contract/index.js';

describe('a log-in', () => {
  it('answers what the user may and until when, and sets a cookie that no script and no other site gets', async () => {
    const { identities } = gate();
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
    const { identities } = gate();
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
    const { identities, clock } = gate();
    const guess = async (password: string) => identities.logIn(change(), { name: 'anna', password });
    for (let count = 0; count < 5; count += 1) expect(await statusOf(guess('a wrong password'))).toContain('401');

    const refusal = await refusalOf(guess(PASSWORD));
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '12' } });
    await clock.advance(12_000);
    expect(await guess(PASSWORD)).toBeDefined();
  });

  it('is refused by the address that the proxy tells, not by the one that a client tells (A22)', async () => {
    const { identities } = gate({ trustProxy: 1 });
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
    const { identities } = gate();
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
    const { identities } = gate();
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
    const { identities } = gate({ trustProxy: ['10.0.0.0/8'] });
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '1.1.1.1' };
    const cookie = await logIn(identities, headers, { isEncrypted: false });

    expect(cookie.cookie).toMatch(/^__Host-/);
    expect(await identities.authenticate(request({ ...headers, ...cookie }, { isEncrypted: false }))).toBeDefined();
    expect(await statusOf(identities.authenticate(request(cookie, { isEncrypted: false })))).toContain('401');
  });

  it('on this host has a cookie that is not Secure, which counts there alone', async () => {
    const { identities } = gate();
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
      const { identities } = gate({ auth });
      const problem = await refusalOf(identities.logIn(change(), { name: 'anna', password: PASSWORD }));
      expect(problem).toMatchObject({ status: 403, facts: { option: 'auth' } });
    }
  });
});

/** A log-in whose body is wrong on purpose. */
function logInBy(body: unknown): Promise<unknown> {
  const { identities } = gate();
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
