import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../domain/index.js';
import { chooseHostAddress, isLoopbackName } from './host-address.js';

const laptop = {
  lo: [ipv4('127.0.0.1', true)],
  wlan0: [ipv6('fe80::1'), ipv4('192.168.1.20')],
  docker0: [ipv4('172.17.0.1'), ipv4('172.18.0.1')],
};

describe('chooseHostAddress', () => {
  it('takes the first external IPv4 address if nothing is preferred', () => {
    expect(chooseHostAddress(laptop)).toBe('192.168.1.20');
  });

  it('takes the first address of the interface that is named', () => {
    expect(chooseHostAddress(laptop, { networkInterface: 'docker0' })).toBe('172.17.0.1');
  });

  it.each([
    ['the beginning of an address', '172.18.'],
    ['a regular expression', String.raw`172\.1[89]\..*`],
  ])('takes the address that fits %s', (_form, preferredIp) => {
    expect(chooseHostAddress(laptop, { preferredIp })).toBe('172.18.0.1');
  });

  it('names what was preferred and all addresses of the host if none fits interface and address', () => {
    const options = { networkInterface: 'wlan0', preferredIp: '10.' };

    expect(() => chooseHostAddress(laptop, options)).toThrow(ConfigurationError);
    expect(() => chooseHostAddress(laptop, options)).toThrow(
      'networkInterface "wlan0" with preferredIp "10." fits no address of this host; ' +
        'it has: wlan0 192.168.1.20, docker0 172.17.0.1, docker0 172.18.0.1',
    );
  });

  it('refuses a broken regular expression, and says so', () => {
    expect(() => chooseHostAddress(laptop, { preferredIp: '172.(' })).toThrow(/preferredIp "172\.\(" is neither/);
  });

  it.each(['2001:db8::7', 'fd00::2'])('takes the IPv6 address %s of a host that has no IPv4 address', (address) => {
    const host = { lo: [ipv4('127.0.0.1', true), ipv6('::1', true)], eth0: [ipv6('fe80::1'), ipv6(address)] };

    expect(chooseHostAddress(host, {}, 'pod-7')).toBe(address);
    expect(chooseHostAddress(host, { preferredIp: address.slice(0, 4) }, 'pod-7')).toBe(address);
    expect(() => chooseHostAddress(host, { preferredIp: 'fe80' }, 'pod-7')).toThrow('fits no address of this host');
  });

  it('takes an IPv4 address, as Java does, also if an IPv6 address or a preferred name stands before it', () => {
    const host = { eth0: [ipv6('2001:db8::7')], eth1: [ipv4('169.254.1.2')] };

    expect(chooseHostAddress(host, {}, 'pod-7')).toBe('169.254.1.2');
  });

  it.each([
    ['no address but loopback', {}],
    ['link-local IPv6 addresses alone', { eth0: [ipv6('fe80::1'), ipv6('febf::1')] }],
    ['mapped and multicast IPv6 addresses alone', { eth0: [ipv6('::ffff:10.0.0.1'), ipv6('ff02::1'), ipv6('::')] }],
  ])('takes the own name of a host with %s', (_kind, others) => {
    expect(chooseHostAddress({ lo: [ipv4('127.0.0.1', true)], ...others }, {}, 'pod-7')).toBe('pod-7');
  });

  it.each(['localhost', 'localhost.localdomain', '', 'a/b', 'a@b', 'a b', 'x'.repeat(101)])(
    'takes the loopback address if the name %j says no more or cannot be a node',
    (name) => {
      expect(chooseHostAddress({ lo: [ipv4('127.0.0.1', true)] }, {}, name)).toBe('127.0.0.1');
    },
  );

  it('takes the host that is given before any other', () => {
    expect(chooseHostAddress(laptop, { host: 'worker-1' }, 'pod-7')).toBe('worker-1');
  });
});

describe('a loopback address', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['localhost', true],
    ['localhost.localdomain', true],
    ['zk.localhost', true],
    ['127.0.0.1.example.org', false],
    ['localhost.example.org', false],
    ['10.0.0.1', false],
    ['::2', false],
    ['pod-7', false],
  ])('is told by its text: %s is one: %s', (host, isOne) => {
    expect(isLoopbackName(host)).toBe(isOne);
  });
});

function ipv4(address: string, internal = false): NetworkInterfaceInfo {
  return { address, internal, family: 'IPv4', netmask: '255.255.255.0', mac: '', cidr: `${address}/24` };
}

function ipv6(address: string, internal = false): NetworkInterfaceInfo {
  return { address, internal, family: 'IPv6', netmask: 'ffff::', mac: '', cidr: `${address}/64`, scopeid: 0 };
}
