import { beforeAll, describe, expect, it } from 'vitest';
import { findFault } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { rightsOf } from './auth-options.js';
import { Identities } from './identities.js';
import { MemorySessionStore } from './memory-session-store.js';
import { hashPassword } from './passwords.js';
import { RateLimits } from './rate-limits.js';
import { digestOf } from './secrets.js';

const SHA256 = digestOf('a token');
let password: string;

beforeAll(async () => {
  password = await hashPassword('correct horse battery');
});

/** The error of a console with the option, or undefined. */
function faultOf(auth: unknown, others: object = {}): string | undefined {
  const clock = new VirtualClock();
  const log = { info: () => {}, warn: () => {} };
  const parts = { clock, limits: new RateLimits(clock), readOnly: false, requireReason: false, log };
  return findFault(() => Reflect.construct(Identities, [{ ...parts, auth, ...others }]));
}

const user = (fields: object = {}) => ({ users: [{ name: 'anna', role: 'admin', password, ...fields }] });
const token = (fields: object = {}) => ({ tokens: [{ name: 'ci', role: 'viewer', sha256: SHA256, ...fields }] });

describe('the option auth', () => {
  it('may have users, tokens, or be a function', () => {
    const whole = { ...user({ jobPrefix: 'billing-' }), ...token(), sessions: new MemorySessionStore() };
    for (const auth of [user(), token(), whole, () => undefined, undefined]) expect(faultOf(auth)).toBeUndefined();
  });

  it('may have a token that has expired, or an application would not start on the day after', () => {
    expect(faultOf(token({ expires: '2001-01-01T00:00:00Z' }))).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['nobody', {}, 'auth must have users or tokens, or nobody could get in'],
    ['empty lists', { users: [], tokens: [] }, 'auth must have users or tokens'],
    ['a list', [], 'auth must be { users, tokens }, or a function'],
    ['a misspelled list', { user: [] }, 'auth.user is not an option of auth; did you mean auth.users?'],
    [
      'a user without a role',
      { users: [{ name: 'anna', password: 'x' }] },
      'auth.users[0].role must be "viewer", "operator" or "admin"',
    ],
    ['no list of users', { users: { name: 'anna' } }, 'users must be a list'],
    ['a text as a user', { users: ['anna:secret'] }, 'auth.users[0].it must be an object'],
    ['sessions without users', { ...token(), sessions: new MemorySessionStore() }, 'auth.sessions needs auth.users'],
    [
      'a store that lacks a method',
      { ...token(), sessions: { add: () => {} } },
      'auth.sessions must be a SessionStore',
    ],
  ])('must not have %s', (_, auth, message) => {
    expect(faultOf(auth)).toContain(message);
  });

  it.each(['', ' anna', 'an\nna', 'anna\u202e', 'anna\u200b', 'x'.repeat(129), 7])(
    'must not have the name %j',
    (name) => {
      expect(faultOf(user({ name }))).toContain('auth.users[0].name must be');
      expect(faultOf(token({ name }))).toContain('auth.tokens[0].name must be');
    },
  );

  it.each([
    ['a password as it is typed', { password: 'correct horse battery' }],
    ['a weak text', { password: `$scrypt$ln=14,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}` }],
    ['a text of bcrypt', { password: '$2b$12$KIXQ4lq3' }],
  ])('must not have %s, and does not show it (A20)', (_, fields) => {
    const fault = faultOf(user(fields));
    expect(fault).toContain('auth.users[0].password must be a text that hashPassword has made');
    expect(fault).not.toContain(fields.password);
  });

  it.each(['sha256', 'expires', 'jobPrefix', 'role', 'secret'])(
    'does not show a token that stands under %s (A20)',
    (field) => {
      const fault = faultOf(token({ [field]: 'hunter2/hunter2' }));
      expect(fault ?? '').not.toContain('hunter2');
      expect(fault).toBeDefined();
    },
  );

  it('does not show a secret that stands in place of all (A20)', () => {
    for (const auth of ['hunter2', ['hunter2'], { tokens: 'hunter2' }, { users: [['hunter2']] }]) {
      const fault = faultOf(auth);
      expect(fault).toBeDefined();
      expect(fault).not.toContain('hunter2');
    }
  });

  it('must not have a name twice, of users and tokens together, nor a token twice', () => {
    expect(faultOf({ ...user(), ...token({ name: 'anna' }) })).toContain('auth has the name "anna" twice');
    const twice = { tokens: [...token().tokens, { name: 'cd', role: 'admin', sha256: SHA256.toUpperCase() }] };
    expect(faultOf(twice)).toContain('auth.tokens has a sha256 twice');
    expect(faultOf(twice)).not.toContain(SHA256);
  });

  it.each([undefined, null, ''])(
    'must not have a prefix or an expiry that is %j: it would be no limit (A05)',
    (none) => {
      expect(faultOf(user({ jobPrefix: none }))).toContain('auth.users[0].jobPrefix');
      expect(faultOf(token({ jobPrefix: none }))).toContain('auth.tokens[0].jobPrefix');
      expect(faultOf(token({ expires: none }))).toContain('auth.tokens[0].expires');
    },
  );

  it.each(['..', 'a/b', 'zookeeper', 'a\u0000'])(
    'must not have the prefix %j, with which no job begins (A05)',
    (jobPrefix) => {
      expect(faultOf(user({ jobPrefix }))).toContain('auth.users[0].jobPrefix must be');
    },
  );

  it.each(['tomorrow', '2027-01-31', '2027-01-31T00:00:00', '2027-13-31T00:00:00Z', 1])(
    'must not have the expiry %j, which is no instant',
    (expires) => {
      expect(faultOf(token({ expires }))).toContain('auth.tokens[0].expires must be a time of ISO 8601 with its zone');
    },
  );

  it('says all faults at once', () => {
    const fault = faultOf({ users: [{ name: '', role: 'root', password: '' }, { name: 'ben' }] });
    for (const field of ['[0].name', '[0].role', '[0].password', '[1].role', '[1].password'])
      expect(fault).toContain(field);
  });
});

describe('options beside auth', () => {
  it('must not have trustProxy without auth: behind a proxy everybody is this host (A22)', () => {
    expect(faultOf(undefined, { trustProxy: 1 })).toContain('trustProxy needs auth');
    expect(faultOf(token(), { trustProxy: 1 })).toBeUndefined();
  });

  it('must not trust everybody, and must name hosts alone', () => {
    expect(faultOf(token(), { trustProxy: true })).toContain('trustProxy must be a number of proxies');
    for (const hosts of [[], ['https://ops.example.com'], ['ops.example.com/x'], ['*'], 'ops.example.com', [7]]) {
      expect(faultOf(token(), { hosts })).toContain('hosts must be a list of names');
    }
    expect(faultOf(token(), { hosts: ['ops.example.com', 'ops.example.com:8443', '[::1]:3000'] })).toBeUndefined();
  });
});

describe('what a function of the application returns', () => {
  it.each([
    { name: 'anna', role: 'viewer' },
    { name: 'anna', role: 'admin', jobPrefix: 'billing-', more: 1 },
  ])('is taken if it is right: %j', (result) => {
    expect(rightsOf(result)).toEqual(expect.objectContaining({ name: 'anna', role: result.role }));
  });

  it.each([
    null,
    true,
    'anna',
    [],
    {},
    { name: 'anna' },
    { name: 'anna', role: 'root' },
    { name: 'anna', role: '__proto__' },
    { name: '', role: 'admin' },
    { name: 'an\r\nna', role: 'admin' },
    { name: 'anna', role: 'admin', jobPrefix: '' },
    { name: 'anna', role: 'admin', jobPrefix: null },
    { name: 'anna', role: 'admin', jobPrefix: 7 },
  ])('lets nobody in if it is %j', (result) => {
    expect(rightsOf(result)).toBeUndefined();
  });
});
