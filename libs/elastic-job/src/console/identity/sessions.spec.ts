import {
  admin,
  anna,
  bearing,
  change,
  gate,
  logIn,
  MINUTE_MS,
  PASSWORD,
  refusalOf,
  request,
  statusOf,
} from '@test/support/unit/console-gate.js';
import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from './memory-session-store.js';
import { hashPassword } from './passwords.js';
import type { ConsoleUser } from './auth-options.js';

describe('a session', () => {
  it('ends 30 minutes after its last use, and 12 hours after its log-in (A03)', async () => {
    const { identities, clock } = gate();
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
    const { identities, clock } = gate();
    const asked = request(await logIn(identities));
    for (let count = 0; count < 29; count += 1) {
      await clock.advance(MINUTE_MS);
      await identities.authenticate(asked, false);
    }
    await clock.advance(MINUTE_MS);
    expect(await statusOf(identities.authenticate(asked, false))).toContain('401');
  });

  it('tells its ends, which a use moves', async () => {
    const { identities, clock } = gate();
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
    const [one, other] = [0, 1].map(() => gate({ auth: { users: [anna], sessions } }).identities);
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
    const cookie = await logIn(gate().identities);
    expect(await statusOf(gate().identities.authenticate(request(cookie)))).toContain('401');
  });

  it('is kept without its id, so that a reader of the store is not let in', async () => {
    const sessions = new MemorySessionStore();
    const kept: string[] = [];
    const add = sessions.add.bind(sessions);
    sessions.add = (session) => {
      kept.push(JSON.stringify(session), session.key);
      return add(session);
    };
    const { identities } = gate({ auth: { users: [anna], sessions } });
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
    const { identities } = gate();
    const { cookie } = await logIn(identities);

    expect(await identities.authenticate(request({ cookie: `a=b; ${cookie}; c=d` }))).toBeDefined();
    expect(await statusOf(identities.authenticate(request({ cookie: change_(cookie) })))).toContain('401');
  });

  it('has at the next request no more rights than its user then has (A03)', async () => {
    const sessions = new MemorySessionStore();
    const withUser = (user: ConsoleUser | undefined) => {
      const other: ConsoleUser = { ...anna, name: 'ben' };
      return gate({ auth: { users: user ? [other, user] : [other], sessions } }).identities;
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
    const { identities, clock, warned } = gate({ auth: { users: [anna], sessions } });
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
    const { identities, clock } = gate({ auth: { users: [anna], sessions } });
    const cookie = await logIn(identities);
    Object.assign(sessions, { find: () => new Promise(() => {}) });

    const refusal = statusOf(identities.authenticate(request(cookie)));
    await clock.advance(5_000);
    expect(await refusal).toBe('503 SESSIONS_AWAY');
  });
});
