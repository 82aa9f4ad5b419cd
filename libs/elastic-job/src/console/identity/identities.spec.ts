import {
  bearing,
  change,
  gate,
  type Headers,
  local,
  onLoopback,
  refusalOf,
  request,
  statusOf,
} from '@test/support/unit/console-gate.js';
import { describe, expect, it } from 'vitest';
import type { ConsoleRequest } from '../contract/index.js';

describe('without the option auth', () => {
  async function printed() {
    const parts = gate({ auth: undefined });
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
    const { identities } = gate({ auth: undefined });
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
    const { identities } = gate({ auth });
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
    const { identities, warned } = gate({ auth });
    const problem = await refusalOf(identities.authenticate(request()));

    expect(problem.status).toBe(401);
    expect(problem.message).not.toContain('hunter2');
    expect(warned).toHaveLength(1);
  });

  it('that knows nobody lets nobody in, and nothing is logged', async () => {
    for (const nobody of [undefined, null]) {
      const { identities, warned } = gate({ auth: () => nobody });
      expect(await statusOf(identities.authenticate(request()))).toBe('401 UNAUTHENTICATED');
      expect(warned).toEqual([]);
    }
  });

  it('that never answers lets nobody in after ten seconds', async () => {
    const { identities, clock, warned } = gate({ auth: () => new Promise(() => {}) });
    const refusal = statusOf(identities.authenticate(request()));
    await clock.advance(10_000);

    expect(await refusal).toBe('401 UNAUTHENTICATED');
    expect(warned).toHaveLength(1);
  });

  it('may look at cookies, so a change needs the Origin, or a header that no other site sends (A06)', async () => {
    const { identities } = gate({ auth: () => ({ name: 'anna', role: 'admin' as const }) });
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
