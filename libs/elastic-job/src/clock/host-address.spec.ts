import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../domain/index.js';
import { chooseHostAddress } from './host-address.js';

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
      'networkInterface "wlan0" with preferredIp "10." fits no IPv4 address of this host; ' +
        'it has: wlan0 192.168.1.20, docker0 172.17.0.1, docker0 172.18.0.1',
    );
  });

  it('refuses a broken regular expression, and says so', () => {
    expect(() => chooseHostAddress(laptop, { preferredIp: '172.(' })).toThrow(/preferredIp "172\.\(" is neither/);
  });

  it('takes the loopback address of a host that has no other', () => {
    expect(chooseHostAddress({ lo: [ipv4('127.0.0.1', true)] })).toBe('127.0.0.1');
  });
});

function ipv4(address: string, internal = false): NetworkInterfaceInfo {
  return { address, internal, family: 'IPv4', netmask: '255.255.255.0', mac: '', cidr: `${address}/24` };
}

function ipv6(address: string): NetworkInterfaceInfo {
  return { address, internal: false, family: 'IPv6', netmask: 'ffff::', mac: '', cidr: `${address}/64`, scopeid: 0 };
}
