import {
  admin,
  bearing,
  change,
  gate,
  type Headers,
  HOST,
  logIn,
  ORIGIN,
  PASSWORD,
  request,
  statusOf,
} from '@test/support/unit/console-gate.js';
import { describe, expect, it } from 'vitest';
import type { ConsoleRequest } from '../contract/index.js';

describe('a change', () => {
  it('by a session needs the Origin of the console (A06)', async () => {
    const { identities } = gate();
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
    const { identities } = gate();
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
    const { identities } = gate();
    const headers = { ...bearing(admin.token), 'content-type': type, 'content-length': '2' };
    expect(await statusOf(identities.authenticate(change(headers)))).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  it('has a body of JSON, or none', async () => {
    const { identities } = gate();
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
    const { identities } = gate({ ...(hosts && { hosts }) });
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
    const { identities } = gate({ hosts: [HOST, 'internal:3000'], trustProxy: 1 });
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
