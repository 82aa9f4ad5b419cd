import { createHash, randomBytes } from 'node:crypto';
import { AuthenticationError } from '../../registry.errors.js';
import { type Link, reasonOf } from './link.js';
import type { Protocol } from './protocol.js';

/** Credentials of this client for SASL with DIGEST-MD5. */
export interface SaslCredentials {
  readonly username: string;
  readonly password: string;
}

/** Service name of ZooKeeper's servers for DIGEST-MD5. @see ZooKeeper, `ZooKeeperSaslServer` */
const SERVICE = 'zookeeper/zk-sasl-md5';
const NOTHING = Buffer.alloc(0);
/** Longest challenge that RFC 2831 allows. */
const LONGEST_CHALLENGE = 2_048;
const DIRECTIVE = /([a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^",]*))/gi;
const HAS_WIDE_CHARACTERS = /[\u0100-\uffff]/;

/** The fields of a server's challenge that matter here. */
interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly isUtf8: boolean;
}

/**
 * Proves this client's identity to a server, and has the server prove that it knows the password too. The password
 * itself is not sent. Required on each connection before any other request.
 * @throws {AuthenticationError} if the server refuses, or cannot prove itself
 */
export async function authenticate(
  link: Pick<Link, 'ask'>,
  protocol: Protocol,
  credentials: SaslCredentials,
): Promise<void> {
  const challenge = readChallenge(await exchange(link, protocol, NOTHING));
  const { answer, proof } = digestMd5(credentials, challenge, SERVICE, randomBytes(16).toString('base64'));
  const shown = await exchange(link, protocol, Buffer.from(answer));
  if (shown !== `rspauth=${proof}`)
    throw new AuthenticationError('the server did not prove that it knows the password');
}

async function exchange(link: Pick<Link, 'ask'>, protocol: Protocol, token: Buffer): Promise<string> {
  const answer = await link.ask(protocol.sasl(token));
  if (answer.kind === 'ok') return answer.value.toString('utf8');
  if (answer.kind === 'refused') {
    throw new AuthenticationError(`the server refused the username or the password of SASL (code ${answer.code})`);
  }
  const why = reasonOf(answer.cause);
  throw new Error(
    `the connection broke during SASL (${why}); check that the server has a JAAS section "Server" for DIGEST-MD5`,
  );
}

/** @throws {AuthenticationError} if the server does not offer DIGEST-MD5 */
export function readChallenge(text: string): Challenge {
  const directives = new Map<string, string>();
  if (text.length <= LONGEST_CHALLENGE) {
    for (const [, name = '', quoted, plain = ''] of text.matchAll(DIRECTIVE)) {
      // The first of several realms is used.
      if (!directives.has(name)) directives.set(name, quoted === undefined ? plain : quoted.replace(/\\(.)/gs, '$1'));
    }
  }
  const nonce = directives.get('nonce');
  const qop = directives.get('qop') ?? 'auth';
  if (nonce === undefined || directives.get('algorithm') !== 'md5-sess' || !qop.split(',').includes('auth')) {
    throw new AuthenticationError('the server asks for another kind of SASL than DIGEST-MD5 with "auth"');
  }
  return { realm: directives.get('realm') ?? '', nonce, isUtf8: directives.get('charset') === 'utf-8' };
}

/**
 * The answer to a challenge, and the proof that the server must then give. @see RFC 2831, 2.1.2 and 2.1.3
 * @param clientNonce new for each answer
 */
export function digestMd5(
  { username, password }: SaslCredentials,
  { realm, nonce, isUtf8 }: Challenge,
  service: string,
  clientNonce: string,
): { readonly answer: string; readonly proof: string } {
  const user = [username, realm, password].map((text) => encoded(text, isUtf8));
  const session = Buffer.concat([md5(joined(user)), Buffer.from(`:${nonce}:${clientNonce}`)]);
  const key = md5(session).toString('hex');
  const respond = (method: string) => {
    const target = md5(`${method}:${service}`).toString('hex');
    return md5(`${key}:${nonce}:00000001:${clientNonce}:auth:${target}`).toString('hex');
  };
  const directives = [
    ...(isUtf8 ? ['charset=utf-8'] : []),
    `username=${quote(username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    'nc=00000001',
    `cnonce=${quote(clientNonce)}`,
    `digest-uri=${quote(service)}`,
    `response=${respond('AUTHENTICATE')}`,
    'qop=auth',
  ];
  return { answer: directives.join(','), proof: respond('') };
}

/** Text that fits into ISO 8859-1 is hashed in that encoding, even if the charset is UTF-8. */
function encoded(text: string, isUtf8: boolean): Buffer {
  return Buffer.from(text, isUtf8 && HAS_WIDE_CHARACTERS.test(text) ? 'utf8' : 'latin1');
}

function joined(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from(':'), part])));
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function md5(bytes: Buffer | string): Buffer {
  return createHash('md5').update(bytes).digest();
}
