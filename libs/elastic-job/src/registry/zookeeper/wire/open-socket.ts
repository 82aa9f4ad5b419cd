import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ServerAddress } from './server-list.js';

interface SocketOptions {
  readonly server: ServerAddress;
  readonly tls: ConnectionOptions | undefined;
  /** Selects the address of the server's name that is tried first. */
  readonly round: number;
  /** Milliseconds that the whole connection may take. */
  readonly openTimeoutMs: number;
}

/** With less time, an address on another continent would never answer. */
const SHORTEST_ATTEMPT_MS = 250;

/**
 * Resolves the name again, since a server may have moved, and connects to the first address that accepts. The socket is
 * not connected yet when the promise resolves.
 */
export async function openSocket({ server, tls, round, openTimeoutMs }: SocketOptions): Promise<Socket> {
  const addresses = await lookup(server.host, { all: true });
  const first = round % addresses.length;
  const rotated = [...addresses.slice(first), ...addresses.slice(0, first)];
  const target = {
    ...server,
    lookup: answering(rotated),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(SHORTEST_ATTEMPT_MS, Math.floor(openTimeoutMs / addresses.length)),
  };
  if (!tls) return connectTcp(target);
  // A certificate is issued to a name, and TLS does not accept an address as a server name.
  const servername = isIP(server.host) ? undefined : server.host;
  return connectTls({ servername, ...tls, ...target });
}

/** Event after which the socket may be written to. */
export function readyEvent(tls: ConnectionOptions | undefined): 'connect' | 'secureConnect' {
  return tls ? 'secureConnect' : 'connect';
}

/** A lookup function that returns addresses found earlier. */
function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
