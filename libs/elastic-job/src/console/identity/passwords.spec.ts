import { beforeAll, describe, expect, it } from 'vitest';
import { ConsoleProblem } from '../contract/index.js';
import { hashPassword, parsePasswordText, PasswordChecks } from './passwords.js';
import { hashToken, newToken } from './secrets.js';

const PASSWORD = 'correct horse battery';
const never = (): AbortSignal => new AbortController().signal;
let text: string;

beforeAll(async () => {
  text = await hashPassword(PASSWORD);
});

describe('hashPassword', () => {
  it('makes a text of scrypt with N 2^15, r 8, p 3 and a salt of its own', async () => {
    expect(text).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await hashPassword(PASSWORD)).not.toBe(text);
  });

  it.each(['', 'short', 'x'.repeat(1_025)])(
    'refuses a password that is too short or too long, unseen',
    async (given) => {
      await expect(hashPassword(given)).rejects.toThrow('hashPassword: the password must be a text of 12 to 1024');
    },
  );
});

describe('the text of a password', () => {
  const salt = 'A'.repeat(22);
  const key = 'A'.repeat(43);

  it.each([
    ['$scrypt$ln=14,r=8,p=5', 'less memory'],
    ['$scrypt$ln=15,r=8,p=2', 'less work'],
    ['$scrypt$ln=15,r=4,p=6', 'smaller blocks'],
    ['$scrypt$ln=20,r=8,p=1', 'a gigabyte for a log-in'],
    ['$scrypt$ln=15,r=8,p=99', 'half a minute for a log-in'],
    ['$scrypt$ln=00,r=0,p=0', 'nothing at all'],
    ['$argon2id$ln=15,r=8,p=3', 'another function'],
  ])('is refused as %s: %s', (cost) => {
    expect(parsePasswordText(`${cost}$${salt}$${key}`)).toBeUndefined();
  });

  it('may be stronger', () => {
    expect(parsePasswordText(`$scrypt$ln=17,r=8,p=1$${salt}$${key}`)).toBeDefined();
  });

  it.each([undefined, null, 7, '', 'correct horse battery', '$scrypt$ln=15,r=8,p=3$AAAA$AAAA'])(
    'is none: %s',
    (other) => {
      expect(parsePasswordText(other)).toBeUndefined();
    },
  );
});

describe('a check of a password', () => {
  it('is right for the password alone, however its letters are composed', async () => {
    const name = 'anna';
    const checks = new PasswordChecks(new Map([[name, await hashPassword('pa\u0308ssword of anna')]]));

    expect(await checks.isRight(name, 'p\u00e4ssword of anna', never())).toBe(true);
    expect(await checks.isRight(name, 'password of anna', never())).toBe(false);
    expect(await checks.isRight('ben', 'p\u00e4ssword of anna', never())).toBe(false);
    expect(await checks.isRight('__proto__', 'p\u00e4ssword of anna', never())).toBe(false);
  });

  it('takes as long for an unknown name as for a known one (A08)', async () => {
    const checks = new PasswordChecks(new Map([['anna', text]]));
    const timeOf = async (name: string): Promise<number> => {
      const start = performance.now();
      expect(await checks.isRight(name, 'a wrong password', never())).toBe(false);
      return performance.now() - start;
    };
    const known = Math.min(await timeOf('anna'), await timeOf('anna'));
    const unknown = Math.min(await timeOf('nobody'), await timeOf('nobody'));

    // Without the same work, an unknown name takes a thousandth.
    expect(unknown).toBeGreaterThan(known / 4);
  });

  it('waits for two others, with 16 at most, and takes no turn once its client has gone', async () => {
    const checks = new PasswordChecks(new Map([['anna', text]]));
    const gone = new AbortController();
    const running = [1, 2].map(() => checks.isRight('anna', PASSWORD, never()));
    const waiting = Array.from({ length: 16 }, () => checks.isRight('anna', PASSWORD, gone.signal));
    const ends = Promise.allSettled(waiting);

    const refusal = await checks.isRight('anna', PASSWORD, never()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConsoleProblem);
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });

    gone.abort(new Error('the client has gone'));
    expect((await ends).map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
    expect(await Promise.all(running)).toEqual([true, true]);
    expect(await checks.isRight('anna', PASSWORD, never())).toBe(true);
  });
});

describe('a token', () => {
  it('has 256 random bits, and the options get its SHA-256', () => {
    const { token, sha256 } = newToken();

    expect(token).toMatch(/^ejc_[\w-]{43}$/);
    expect(sha256).toMatch(/^[\da-f]{64}$/);
    expect(hashToken(token)).toBe(sha256);
    expect(newToken().token).not.toBe(token);
  });

  it('that is short is refused, unseen', () => {
    expect(() => hashToken('a secret of mine')).toThrow(/^hashToken: the token must have 256 random bits/);
  });
});
