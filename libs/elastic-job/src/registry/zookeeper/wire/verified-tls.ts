import type { ConnectionOptions } from 'node:tls';

/** The option by which a connection would accept a server that has not proved its name; undefined if there is none. */
export function uncheckedBy(tls: ConnectionOptions): string | undefined {
  if (tls.rejectUnauthorized === false) return 'rejectUnauthorized: false';
  return tls.checkServerIdentity === undefined ? undefined : 'a checkServerIdentity of its own';
}

/** These options, with the check of the server's certificate on, which the environment may have turned off. */
export function verified(tls: ConnectionOptions): ConnectionOptions {
  return { ...tls, rejectUnauthorized: true };
}
