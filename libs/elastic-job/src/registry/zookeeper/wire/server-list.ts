import { isIPv6 } from 'node:net';
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
