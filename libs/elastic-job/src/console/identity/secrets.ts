import { createHash, randomBytes } from 'node:crypto';
import { ConfigurationError } from '../../domain/index.js';

/** Beginning of a token, by which scanners of repositories find one that was published. */
const TOKEN_MARK = 'ejc_';
/** A text of 256 random bits has no fewer characters, if they are those of base64. */
const LEAST_TOKEN = 43;

/** A text of random bits that nobody can foresee, for URLs and headers. It is not the clock's, which is repeatable. */
export function randomSecret(bits: number): string {
  return randomBytes(bits / 8).toString('base64url');
}

/** SHA-256, in hexadecimal. Fit for random texts of many bits alone: a password needs `hashPassword`. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Makes a token of 256 random bits. The options get its `sha256`; who uses it gets `token`, which is kept nowhere. */
export function newToken(): { readonly token: string; readonly sha256: string } {
  const token = TOKEN_MARK + randomSecret(256);
  return { token, sha256: digestOf(token) };
}

/**
 * The text `sha256` for a token that was made elsewhere, as by `openssl rand -hex 32`.
 * @throws {ConfigurationError} for a token that is too short to be random enough
 */
export function hashToken(token: string): string {
  if (typeof token === 'string' && token.length >= LEAST_TOKEN) return digestOf(token);
  throw new ConfigurationError('hashToken', ['the token must have 256 random bits, as "openssl rand -hex 32" has']);
}
