import {
  admin,
  anna,
  bearing,
  change,
  gate,
  logIn,
  MINUTE_MS,
  refusalOf,
  request,
  statusOf,
  viewer,
} from '@test/support/unit/console-gate.js';
import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from './memory-session-store.js';
import { newToken } from './secrets.js';

describe('a token', () => {
  it('lets in with its role and prefix, also for a change without an Origin', async () => {
    const { identities } = gate();

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
    const { identities } = gate();
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
    const { identities, warned, written } = gate();
    const problem = await refusalOf(identities.authenticate(request(bearing(token))));

    expect(problem.status).toBe(401);
    const told = JSON.stringify([problem.message, problem.facts, warned, written]);
    expect(token !== '' && told.includes(token)).toBe(false);
  });

  it('that is wrong is not made good by a session', async () => {
    const { identities } = gate();
    const cookie = await logIn(identities);

    expect(await statusOf(identities.authenticate(request({ ...cookie, ...bearing('wrong') })))).toContain('401');
    expect(await identities.authenticate(request({ ...cookie, authorization: 'Basic eDp5' }))).toBeDefined();
  });

  it('lets nobody in from the instant at which it expires (A03)', async () => {
    const { identities, clock } = gate();
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
    const { identities } = gate({ auth: { users: [anna], tokens, sessions } });

    expect(await identities.authenticate(request(bearing(viewer.token)))).toMatchObject({ name: 'ci' });
  });
});
