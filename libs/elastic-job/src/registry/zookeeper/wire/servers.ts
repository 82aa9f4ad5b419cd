import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { findQuote, QUOTES_ARE_KEPT } from '../../../domain/index.js';

/** One member of an ensemble. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

type ServerList =
  | { readonly kind: 'valid'; readonly servers: readonly ServerAddress[] }
  | { readonly kind: 'wrong'; readonly problem: string };

const DEFAULT_PORT = 2181;
const MAX_PORT = 65_535;
const SCHEME = 'begins with a scheme, such as http://, which an address of ZooKeeper has not';
const RIGHT = 'a list such as "10.0.0.1:2181,10.0.0.2:2181"';

/**
 * Reads ZooKeeper's notation: `host`, `host:port` or `[IPv6]:port`, separated by commas; the port is 2181 unless given.
 */
export function parseServerList(text: string): ServerList {
  const servers: ServerAddress[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const server = parseServer(entry.trim());
    // The text is not repeated: it may be an address with a password.
    if (typeof server === 'string') {
      return { kind: 'wrong', problem: `servers: entry ${index + 1} ${server}; use ${RIGHT}` };
    }
    servers.push(server);
  }
  return { kind: 'valid', servers };
}

/** Hosts of a server list; none if it is wrong. */
export function hostsOf(text: string): readonly string[] {
  const list = parseServerList(text);
  return list.kind === 'valid' ? list.servers.map(({ host }) => host) : [];
}

/** @returns the server, or the problem as a text */
function parseServer(entry: string): ServerAddress | string {
  if (entry === '') return 'is empty';
  const quote = findQuote(entry);
  if (quote !== undefined) return `has the quote ${quote}; ${QUOTES_ARE_KEPT}`;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return SCHEME;
  if (entry.includes('/')) return 'has a path, which belongs into the namespace';
  const parts = /^(?:\[(?<address>.*)\]|(?<name>[^\s:[\]@]+))(?::(?<port>.*))?$/.exec(entry)?.groups;
  const isWrongAddress = parts?.['address'] !== undefined && !isIPv6(parts['address']);
  if (!parts || isWrongAddress) return 'is not host:port or [IPv6 address]:port';
  const port = parts['port'] ?? String(DEFAULT_PORT);
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > MAX_PORT) {
    return `has a port that is not a number from 1 to ${MAX_PORT}`;
  }
  return { host: parts['address'] ?? parts['name'] ?? '', port: Number(port) };
}

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

/** First bytes by which servers of other protocols are known. */
const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ['HTTP/', 'HTTP'],
  ['SSH-', 'SSH'],
  ['-', 'RESP, as Redis does'],
  ['\u0015\u0003', 'TLS; give the option tls if it is the secureClientPort of ZooKeeper'],
];

/**
 * Error of a server whose first reply is none of ZooKeeper's, so that the address is most likely a wrong one.
 * @param chunk the first bytes that came
 */
export function foreignServer({ host, port }: ServerAddress, chunk: Buffer, cause: unknown): Error {
  const text = chunk.toString('latin1');
  const speaks = KINDS.find(([start]) => text.startsWith(start))?.[1] ?? 'another protocol';
  return new Error(
    `${host}:${port} is no ZooKeeper server: it speaks ${speaks}; servers takes client ports, usually 2181`,
    { cause },
  );
}
