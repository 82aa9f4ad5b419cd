import { describe, expect, it } from 'vitest';
import { AuthenticationError } from '../../registry.errors.js';
import { digestMd5, readChallenge } from './sasl.js';

const CHALLENGE = 'realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8';

describe('DIGEST-MD5', () => {
  it('gives answer and proof of the example in RFC 2831', () => {
    const { answer, proof } = digestMd5(
      { username: 'chris', password: 'secret' },
      readChallenge(CHALLENGE),
      'imap/elwood.innosoft.com',
      'OA6MHXh6VqTrRk',
    );
    expect(answer).toBe(
      'charset=utf-8,username="chris",realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",nc=00000001,' +
        'cnonce="OA6MHXh6VqTrRk",digest-uri="imap/elwood.innosoft.com",' +
        'response=d388dad90d4bbd760a152321f2143af7,qop=auth',
    );
    expect(proof).toBe('ea40f60335c427b5527b84dbabcdfffd');
  });

  it('escapes quotes and backslashes, and reads them back', () => {
    const { answer } = digestMd5({ username: 'a"b\\c', password: 'p' }, readChallenge(CHALLENGE), 's', 'c');
    expect(answer).toContain('username="a\\"b\\\\c"');
    expect(readChallenge('nonce="a\\"b\\\\c",algorithm=md5-sess').nonce).toBe('a"b\\c');
  });

  it.each([
    ['nothing', ''],
    ['no nonce', 'realm="r",algorithm=md5-sess'],
    ['another algorithm', 'nonce="n",algorithm=md5'],
    ['a protection that is not offered', 'nonce="n",algorithm=md5-sess,qop="auth-conf"'],
    ['more than the RFC allows', `nonce="${'n'.repeat(3_000)}",algorithm=md5-sess`],
  ])('refuses a challenge with %s', (_, text) => {
    expect(() => readChallenge(text)).toThrow(AuthenticationError);
  });
});
