import { describe, expect, it } from 'vitest';
import type { ConsoleRequest } from '../contract/index.js';
import {
  Addresses,
  canonicalAddress,
  isFromThisHost,
  networkOf,
  trustProxyRule,
  type TrustProxy,
} from './addresses.js';

function request(peer: string, headers: ConsoleRequest['headers'] = {}): ConsoleRequest {
  const signal = new AbortController().signal;
  const body = async () => Buffer.alloc(0);
  return { id: '1', method: 'GET', url: '/', headers, body, peer, isEncrypted: false, raw: {}, signal };
}

describe('the address of a client', () => {
  it.each<[string, TrustProxy | undefined, string, string | undefined, string]>([
    ['is the peer without trustProxy, whatever the client says (A22)', undefined, '10.0.0.9', '1.1.1.1', '10.0.0.9'],
    ['is what the one proxy has added', 1, '10.0.0.9', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['is what the second proxy has added', 2, '10.0.0.9', '6.6.6.6, 1.1.1.1, 10.0.0.8', '1.1.1.1'],
    ['is the first one if there are fewer than hops', 3, '10.0.0.9', '1.1.1.1', '1.1.1.1'],
    ['is the peer if the proxy has added nothing', 1, '10.0.0.9', undefined, '10.0.0.9'],
    ['is the peer if the proxy has added no address', 1, '10.0.0.9', 'unknown', '10.0.0.9'],
    [
      'is the last one before which there is a trusted network',
      ['10.0.0.0/8'],
      '10.0.0.9',
      '6.6.6.6, 1.1.1.1',
      '1.1.1.1',
    ],
    ['skips trusted proxies', ['10.0.0.0/8'], '10.0.0.9', '6.6.6.6, 1.1.1.1, 10.7.7.7', '1.1.1.1'],
    ['is the peer if that is no trusted proxy (A22)', ['10.0.0.0/8'], '11.0.0.1', '1.1.1.1', '11.0.0.1'],
    ['knows a mapped proxy', ['10.0.0.1'], '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['knows a proxy of IPv6', ['2001:db8::/32'], '2001:DB8:0::7', '[2001:db9::1]:4711', '2001:db9::1'],
    ['has no port', 1, '10.0.0.9', '1.1.1.1:4711', '1.1.1.1'],
    ['has no line break (A14)', 1, '10.0.0.9', '1.1.1.1\r\nx: y', '10.0.0.9'],
    ['is that of a socket without one', undefined, '', undefined, 'unknown'],
  ])('%s', (_, trustProxy, peer, forwarded, expected) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    expect(new Addresses(trustProxy).addressOf(request(peer, headers))).toBe(expected);
  });

  it('of a header of many thousand entries is found', () => {
    const headers = { 'x-forwarded-for': Array.from({ length: 50_000 }, () => '10.0.0.1') };
    expect(new Addresses(['10.0.0.0/8']).addressOf(request('10.0.0.9', headers))).toBe('10.0.0.1');
  });
});

describe('the option trustProxy', () => {
  it.each([1, 10, ['10.0.0.1'], ['10.0.0.0/8', '::1']])('may be %j', (value) => {
    expect(trustProxyRule.accepts!(value)).toBe(true);
  });

  it.each([true, false, 0, 11, 1.5, -1, 'loopback', '10.0.0.1', [], [''], ['10.0.0.0/0'], ['10.0.0.0/33'], [7], {}])(
    'must not be %j, which trusts everybody or nobody',
    (value) => {
      expect(trustProxyRule.accepts!(value)).toBe(false);
    },
  );
});

describe('a connection', () => {
  const says = (proto: string) => request('10.0.0.9', { 'x-forwarded-proto': proto });

  it('is secure if it is encrypted, or if a trusted proxy says so', () => {
    expect(new Addresses(undefined).isSecure({ ...request('1.1.1.1'), isEncrypted: true })).toBe(true);
    expect(new Addresses(1).isSecure(says('https'))).toBe(true);
    expect(new Addresses(['10.0.0.0/8']).isSecure(says('HTTPS'))).toBe(true);
  });

  it('is not secure if the client says so, or if any proxy says otherwise (A22)', () => {
    expect(new Addresses(undefined).isSecure(says('https'))).toBe(false);
    expect(new Addresses(['10.0.0.1']).isSecure(says('https'))).toBe(false);
    expect(new Addresses(1).isSecure(says('https, http'))).toBe(false);
    expect(new Addresses(1).isSecure(request('10.0.0.9'))).toBe(false);
  });

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:0:0:1'])(
    'of %s is from this host',
    (peer) => {
      expect(isFromThisHost(request(peer))).toBe(true);
    },
  );

  it.each(['10.0.0.1', '::2', '::ffff:10.0.0.1', '127.evil.example', '1127.0.0.1', '', 'localhost', '::127.0.0.1'])(
    'of "%s" is not from this host (A22)',
    (peer) => {
      expect(isFromThisHost(request(peer))).toBe(false);
    },
  );

  it.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-anything', 'X-Forwarded-Proto', 'via'])(
    'with the header %s is not from this host (A22)',
    (header) => {
      expect(isFromThisHost(request('127.0.0.1', { [header]: '' }))).toBe(false);
    },
  );
});

describe('an address', () => {
  it.each([
    ['FE80::1%eth0', 'fe80::1'],
    ['2001:0db8:0:0:0:0:0:1', '2001:db8::1'],
    ['::ffff:192.168.1.20', '192.168.1.20'],
  ])('has one text: %s is %s', (text, expected) => {
    expect(canonicalAddress(text)).toBe(expected);
  });

  it.each(['1.2.3', '010.0.0.1', '1.2.3.4, 5.6.7.8', 'localhost', '::g', ' 1.2.3.4'])('is none: "%s"', (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
  ])('%s is of the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
