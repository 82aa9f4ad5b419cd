import { BlockList, isIP } from 'node:net';
import { mustBe, rule, wholeNumber } from '../../domain/index.js';
import type { ConsoleRequest } from '../contract/index.js';

/** Proxies of the application: how many there are between a client and it, or their addresses. */
export type TrustProxy = number | readonly string[];

const MOST_HOPS = 10;
const hopsRule = wholeNumber({ from: 1, to: MOST_HOPS });
const TRUST = `a number of proxies from 1 to ${MOST_HOPS}, or a list of addresses and networks as 10.0.0.0/8`;

/** `true` is refused: it would let every client say what its address is. */
export const trustProxyRule = rule(TRUST, isTrustProxy, mustBe(TRUST));

function isTrustProxy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((entry) => networkParts(entry) !== undefined);
  return hopsRule.accepts?.(value) === true;
}

/** An address and the bits that count. A network of no bits would be everybody. */
function networkParts(entry: unknown): { address: string; bits: number } | undefined {
  const [, text = '', width] = (typeof entry === 'string' && /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(entry)) || [];
  const address = canonicalAddress(text);
  if (address === undefined) return undefined;
  const most = address.includes(':') ? 128 : 32;
  const bits = width === undefined ? most : Number(width);
  return bits >= 1 && bits <= most ? { address, bits } : undefined;
}

/** One text for each address: without a zone, and an IPv4 address that is mapped into IPv6 as itself. */
export function canonicalAddress(text: string): string | undefined {
  const plain = text.replace(/%.*$/s, '');
  if (isIP(plain) !== 6) return isIP(plain) === 4 ? plain : undefined;
  const short = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short);
  if (mapped === null) return short;
  const parts = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return parts.flatMap((part) => [part >> 8, part & 255]).join('.');
}

/** The address, or for IPv6 its /64 network, all of whose addresses one client may have. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/** The address of this host on itself. @param address as `canonicalAddress` has it */
function isLoopback(address: string | undefined): boolean {
  return address === '::1' || address?.startsWith('127.') === true;
}

/** A header as one text. Of one that may come once only, a second one makes a text that nothing accepts. */
export function headerOf({ headers }: Pick<ConsoleRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

/** Headers that only proxies add: with one of them, the client is not the peer. */
const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded(?:-.*)?)$/;

/** Finds out by which way a request has come. Of `X-Forwarded-*` it believes what proxies of the application say. */
export class Addresses {
  private readonly hops: number;
  private readonly proxies = new BlockList();

  constructor(trustProxy: TrustProxy | undefined) {
    this.hops = typeof trustProxy === 'number' ? trustProxy : 0;
    for (const entry of typeof trustProxy === 'object' ? trustProxy : []) {
      const parts = networkParts(entry);
      if (parts) this.proxies.addSubnet(parts.address, parts.bits, familyOf(parts.address));
    }
  }

  /** The address of the client, or of the nearest one that is known for sure. */
  addressOf(request: ConsoleRequest): string {
    // The nearest comes first. Each proxy has added the address that has asked it.
    const told = (headerOf(request, 'x-forwarded-for') ?? '').split(',').toReversed();
    let address = canonicalAddress(request.peer) ?? 'unknown';
    for (const [index, entry] of told.entries()) {
      const next = canonicalAddress(withoutPort(entry.trim()));
      if (next === undefined || !this.isProxy(address, index)) break;
      address = next;
    }
    return address;
  }

  /** True if nobody on the way from the client to the application, or to its proxy, can read along. */
  isSecure(request: ConsoleRequest): boolean {
    if (request.isEncrypted) return true;
    if (!this.isProxy(canonicalAddress(request.peer) ?? '', 0)) return false;
    const protocols = headerOf(request, 'x-forwarded-proto')?.split(',') ?? [];
    // A proxy may add its own behind what a client has sent.
    return protocols.length > 0 && protocols.every((protocol) => protocol.trim().toLowerCase() === 'https');
  }

  /** @param distance proxies between the application and this one */
  private isProxy(address: string, distance: number): boolean {
    if (this.hops > 0) return distance < this.hops;
    return isIP(address) !== 0 && this.proxies.check(address, familyOf(address));
  }
}

/** True for a client on this host: the peer is one, and no proxy stands before it. */
export function isFromThisHost(request: ConsoleRequest): boolean {
  return isLoopback(canonicalAddress(request.peer)) && !Object.keys(request.headers).some(isForwarding);
}

function isForwarding(header: string): boolean {
  return FORWARDING.test(header.toLowerCase());
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Some proxies add the client's port. */
function withoutPort(entry: string): string {
  return entry.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
}
