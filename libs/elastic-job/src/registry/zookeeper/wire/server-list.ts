import { isIPv6 } from 'node:net';

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
const RIGHT = 'a list such as "10.0.0.1:2181,10.0.0.2:2181"';

/**
 * Reads ZooKeeper's notation: `host`, `host:port` or `[IPv6]:port`, separated by commas; the port is 2181 unless given.
 */
export function parseServerList(text: string): ServerList {
  const servers: ServerAddress[] = [];
  for (const entry of text.split(',').map((part) => part.trim())) {
    const server = parseServer(entry);
    if (typeof server === 'string') {
      return { kind: 'wrong', problem: `servers ${JSON.stringify(text)}: ${server}; use ${RIGHT}` };
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
  if (entry === '') return 'there is an empty entry';
  if (entry.includes('/')) return `${JSON.stringify(entry)} has a path, which belongs into the namespace`;
  const parts = /^(?:\[(?<address>.*)\]|(?<name>[^\s:[\]]+))(?::(?<port>.*))?$/.exec(entry)?.groups;
  const isWrongAddress = parts?.['address'] !== undefined && !isIPv6(parts['address']);
  if (!parts || isWrongAddress) return `${JSON.stringify(entry)} is not host:port or [IPv6 address]:port`;
  const port = parts['port'] ?? String(DEFAULT_PORT);
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > MAX_PORT) {
    return `${JSON.stringify(entry)} has the port ${JSON.stringify(port)}, which is not a number from 1 to ${MAX_PORT}`;
  }
  return { host: parts['address'] ?? parts['name'] ?? '', port: Number(port) };
}
