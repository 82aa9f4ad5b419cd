import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../clock/index.js';
import { ConfigurationError } from '../../domain/index.js';
import { parseServerList } from './wire/index.js';
import { type ZooKeeperOptions, resolveZooKeeperOptions } from './zookeeper-options.js';
import { ZooKeeperRegistryCenter } from './zookeeper-ensemble.js';

describe('the server list', () => {
  it.each([
    ['10.0.0.1:2181', [{ host: '10.0.0.1', port: 2181 }]],
    ['zk-0.zk', [{ host: 'zk-0.zk', port: 2181 }]],
    [
      'a:1, b:65535',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 65_535 },
      ],
    ],
    [
      '[::1],[fe80::1%eth0]:2182',
      [
        { host: '::1', port: 2181 },
        { host: 'fe80::1%eth0', port: 2182 },
      ],
    ],
  ])('gives hosts and ports of %j', (text, servers) => {
    expect(parseServerList(text)).toEqual({ kind: 'valid', servers });
  });

  it.each([
    ['', 'entry 1 is empty'],
    ['a:2181,', 'entry 2 is empty'],
    ['a:notaport', 'entry 1 has a port that is not a number from 1 to 65535'],
    ['a:', 'has a port'],
    ['a:0', 'has a port'],
    ['a:65536', 'has a port'],
    ['a:2181,b:-1', 'entry 2 has a port'],
    ['::1:2181', 'entry 1 is not host:port or [IPv6 address]:port'],
    ['[::1', 'is not host:port'],
    ['a b:2181', 'is not host:port'],
    [':2181', 'is not host:port'],
    ['a:2181/orders', 'has a path, which belongs into the namespace'],
    ['user:s3cret@a:2181', 'entry 1 has a port'],
    ['s3cret@a:2181', 'entry 1 is not host:port'],
    [
      'zookeeper://user:s3cret@a',
      'entry 1 begins with a scheme, such as http://, which an address of ZooKeeper has not',
    ],
    ['"a:2181,b:2181"', 'entry 1 has the quote "; Docker\'s --env-file keeps quotes and blanks'],
    ["a:2181,b:2181'", "entry 2 has the quote '"],
    ['a:2181,http://b:2181', 'entry 2 begins with a scheme, such as http://, which an address of ZooKeeper has not'],
  ])('refuses %j with the problem: %s', (text, problem) => {
    expect(parseServerList(text)).toMatchObject({ kind: 'wrong', problem: expect.stringContaining(problem) });
    expect(JSON.stringify(parseServerList(text))).not.toContain('s3cret');
  });
});

describe('the options of the ZooKeeper registry', () => {
  const right: ZooKeeperOptions = { servers: 'a:2181', namespace: 'orders' };

  it('need servers and namespace only, and have defaults for the rest', () => {
    expect(resolveZooKeeperOptions(right)).toMatchObject({
      sessionTimeoutMs: 15_000,
      connectionTimeoutMs: 9_000,
      requestTimeoutMs: 10_000,
      maxRequestBytes: 1_000_000,
      connection: 'in-process',
      maxBlockedMs: 60_000,
    });
  });

  it('are refused by one error that names all wrong fields with their values, but no secret', () => {
    const wrong = { ...right, servers: 'a:x', sessionTimeoutMs: 0, requestTimeoutMs: 1.5, digest: 'secret' };
    const make = () => new ZooKeeperRegistryCenter(wrong, new SystemClock());
    expect(make).toThrow(ConfigurationError);
    for (const part of [
      'servers: entry 1 has a port',
      'sessionTimeoutMs is 0',
      'requestTimeoutMs is 1.5',
      'digest (not shown)',
    ]) {
      expect(make).toThrow(part);
    }
    expect(make).not.toThrow('secret');
  });

  it('may not have a function for TLS if the connection has its own thread', () => {
    const tls = { checkServerIdentity: () => undefined };
    expect(resolveZooKeeperOptions({ ...right, tls }).credentials.reveal().tls).toBe(tls);
    const resolve = () => resolveZooKeeperOptions({ ...right, tls, connection: 'worker-thread' });
    expect(resolve).toThrow('tls (not shown) holds a function');
  });

  it('name both kinds of connection in the error for an unknown kind', () => {
    const wrong = { ...right, connection: 'thread' };
    // oxlint-disable-next-line no-unsafe-type-assertion -- what a user without types may write
    const resolve = () => resolveZooKeeperOptions(wrong as ZooKeeperOptions);
    expect(resolve).toThrow('connection is "thread"; it takes "in-process" or "worker-thread"');
  });

  it.each(['user', ':password', 'user:', ''])('are refused with the digest %j', (digest) => {
    expect(() => resolveZooKeeperOptions({ ...right, digest })).toThrow('not of the form user:password');
  });

  it.each([{ username: 'shop' }, { username: '', password: 'secret' }, 'shop:secret'])(
    'are refused with %j for SASL, and do not show it',
    (sasl) => {
      // oxlint-disable-next-line no-unsafe-type-assertion -- what a user without types may write
      const resolve = () => resolveZooKeeperOptions({ ...right, sasl } as unknown as ZooKeeperOptions);
      expect(resolve).toThrow('sasl (not shown) is not of the form { username, password }');
      expect(resolve).not.toThrow('secret');
    },
  );

  it('are refused without TLS if TLS is required', () => {
    expect(() => resolveZooKeeperOptions({ ...right, requireTls: true })).toThrow('tls is not given');
    const { credentials } = resolveZooKeeperOptions({ ...right, requireTls: true, tls: {} });
    expect(credentials.reveal()).toMatchObject({ tls: {}, requireTls: true });
  });

  it.each([
    ['rejectUnauthorized: false', { rejectUnauthorized: false }],
    ['a checkServerIdentity of its own', { checkServerIdentity: () => undefined }],
  ])('are refused with %s if TLS is required', (what, tls) => {
    const resolve = () => resolveZooKeeperOptions({ ...right, requireTls: true, tls });
    expect(resolve).toThrow(`requireTls is true, but tls (not shown) has ${what}`);
    expect(resolveZooKeeperOptions({ ...right, tls }).credentials.reveal().tls).toBe(tls);
  });

  it('are refused by an error that shows the namespace if the server would refuse it', () => {
    expect(() => resolveZooKeeperOptions({ ...right, namespace: 'a//b' })).toThrow('namespace "a//b"');
  });
});
