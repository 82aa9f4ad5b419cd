import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { ConfigurationError } from '../../../domain/index.js';
import type { SaslCredentials } from './sasl.js';

/** Proof of this client's identity for a server. */
export interface Credentials {
  readonly digest: string | undefined;
  readonly sasl: SaslCredentials | undefined;
  readonly tls: TlsSource | undefined;
  /** True if only a server that has proved its name may get them. */
  readonly requireTls: boolean;
}

/** Paths of PEM files, or of a PKCS#12 one, which are read for each connection: so renewed ones are used. */
export interface TlsFiles {
  /** File for `ca`. */
  readonly caFile?: string;
  /** File for `cert`. */
  readonly certFile?: string;
  /** File for `key`. */
  readonly keyFile?: string;
  /** File for `pfx`. */
  readonly pfxFile?: string;
}

/** Options of `node:tls`, and paths of files in place of `ca`, `cert`, `key` and `pfx`. */
export type TlsSettings = ConnectionOptions & TlsFiles;

/** Settings of TLS, or a function that is asked for them for each connection. */
export type TlsSource = TlsSettings | (() => TlsSettings | Promise<TlsSettings>);

/**
 * Options of one connection. Where TLS is required, the check of the server's certificate is on, which the environment
 * may have turned off.
 * @throws {ConfigurationError} if TLS is required, and a function gives options without that check
 * @throws the error of the function, or of a file that cannot be read
 */
export async function readTls(source: TlsSource, isRequired: boolean): Promise<ConnectionOptions> {
  const settings: unknown = typeof source === 'function' ? await source() : source;
  if (!isSettings(settings)) throw new ConfigurationError('registry', ['the function tls has returned no options']);
  const { caFile, certFile, keyFile, pfxFile, ...options } = settings;
  const [ca, cert, key, pfx] = await Promise.all([caFile, certFile, keyFile, pfxFile].map(contentOf));
  const read = {
    ...options,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(pfx && { pfx }),
  };
  if (!isRequired) return read;
  const unchecked = uncheckedBy(read);
  if (unchecked !== undefined)
    throw new ConfigurationError('registry', [`requireTls is true, but the function tls gives ${unchecked}`]);
  return { ...read, rejectUnauthorized: true };
}

/** The option by which a connection would accept a server that has not proved its name; undefined if there is none. */
export function uncheckedBy(tls: ConnectionOptions): string | undefined {
  if (tls.rejectUnauthorized === false) return 'rejectUnauthorized: false';
  return tls.checkServerIdentity === undefined ? undefined : 'a checkServerIdentity of its own';
}

/**
 * Fault of the client's own certificate, which servers do not name: many just close the connection.
 * @param now milliseconds since the epoch
 */
export function ownCertificateFault({ cert }: ConnectionOptions, now: number): string | undefined {
  const [first] = [cert].flat();
  if (first === undefined) return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(first);
    if (Date.parse(validTo) < now) return `the certificate of this client has expired (${validTo})`;
    if (Date.parse(validFrom) > now) return `the certificate of this client is not valid yet (${validFrom})`;
  } catch {
    return 'the certificate of this client cannot be read';
  }
  return undefined;
}

function isSettings(value: unknown): value is TlsSettings {
  return typeof value === 'object' && value !== null;
}

async function contentOf(path: string | undefined): Promise<Buffer | undefined> {
  return path === undefined ? undefined : await readFile(path);
}
