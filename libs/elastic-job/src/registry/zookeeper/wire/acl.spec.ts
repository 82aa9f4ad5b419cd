import { describe, expect, it } from 'vitest';
import { admitsOthers, describeAcl, idsOfDigest } from './acl.js';

const own = idsOfDigest('alice:secret');
const [mine] = own;
const anyone = { scheme: 'world', id: 'anyone' };

describe('an ACL', () => {
  it('has the id that ZooKeeper makes of a digest', () => {
    // DigestAuthenticationProvider.generateDigest("super:admin") in ZooKeeper's documentation.
    expect(idsOfDigest('super:admin')[0]).toEqual({ scheme: 'digest', id: 'super:xQJmxLMiHGwaqBvst5y6rkB6HQs=' });
  });

  it.each([
    ['its user alone', [{ ...mine!, permissions: 31 }], false],
    ['its user under another hash', [{ ...own[2]!, permissions: 31 }], false],
    [
      'its user, and everybody to read',
      [
        { ...mine!, permissions: 31 },
        { ...anyone, permissions: 1 },
      ],
      false,
    ],
    ['nobody', [], false],
    ['everybody', [{ ...anyone, permissions: 31 }], true],
    [
      'its user, and everybody to write',
      [
        { ...mine!, permissions: 31 },
        { ...anyone, permissions: 2 },
      ],
      true,
    ],
    [
      'its user, and everybody to create',
      [
        { ...mine!, permissions: 31 },
        { ...anyone, permissions: 4 },
      ],
      true,
    ],
    [
      'its user, and everybody to delete',
      [
        { ...mine!, permissions: 31 },
        { ...anyone, permissions: 8 },
      ],
      true,
    ],
    [
      'its user, and everybody to administer',
      [
        { ...mine!, permissions: 31 },
        { ...anyone, permissions: 16 },
      ],
      true,
    ],
    ['a user of that name with another password', [{ ...idsOfDigest('alice:guess')[0]!, permissions: 31 }], true],
    ['a user whose hash is not shown', [{ scheme: 'digest', id: 'alice:x', permissions: 15 }], true],
    ['a host', [{ scheme: 'ip', id: '127.0.0.1', permissions: 31 }], true],
  ])('is judged by whether it admits others than its user: %s', (_, acl, isOpen) => {
    expect(admitsOthers(acl, own)).toBe(isOpen);
  });

  it('is described as zkCli.sh writes it, without the hash of a password', () => {
    const acl = [
      { ...mine!, permissions: 31 },
      { ...anyone, permissions: 1 | 4 },
    ];
    expect(describeAcl(acl)).toBe('digest:alice:x:cdrwa,world:anyone:cr');
  });
});
