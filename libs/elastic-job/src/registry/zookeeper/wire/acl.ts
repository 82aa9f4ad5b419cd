import { createHash } from 'node:crypto';

/** One entry of a node's ACL. */
export interface AclEntry {
  /** ZooKeeper's bits, see `PERMISSIONS`. */
  readonly permissions: number;
  readonly scheme: string;
  readonly id: string;
}

/** Identity that an ACL entry names. */
export type AclId = Pick<AclEntry, 'scheme' | 'id'>;

/** In the order and letters of `zkCli.sh`: create, delete, read, write, administer. @see ZooKeeper, `ZooDefs.Perms` */
const PERMISSIONS = { c: 4, d: 8, r: 1, w: 2, a: 16 };
const READ = PERMISSIONS.r;
export const ALL_PERMISSIONS = 31;

/**
 * Hash algorithms that servers may be configured to use for digests; the first one is the default.
 * @see ZooKeeper, `DigestAuthenticationProvider`
 */
const DIGEST_ALGORITHMS = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-384', 'sha3-512'];

/**
 * Ids that servers may give a digest, one for each algorithm that they may use.
 * @param digest `user:password`
 */
export function idsOfDigest(digest: string): readonly AclId[] {
  const user = digest.slice(0, digest.indexOf(':'));
  return DIGEST_ALGORITHMS.map((algorithm) => ({
    scheme: 'digest',
    id: `${user}:${createHash(algorithm).update(digest).digest('base64')}`,
  }));
}

/** True if an identity other than these may do anything but read. */
export function admitsOthers(acl: readonly AclEntry[], own: readonly AclId[]): boolean {
  return acl.some(
    ({ permissions, scheme, id }) =>
      (permissions & ~READ) !== 0 && !own.some((one) => one.scheme === scheme && one.id === id),
  );
}

/**
 * The ACL as `zkCli.sh` writes it. Digests are shown without their hash, as servers do, because a password can be
 * guessed from it.
 */
export function describeAcl(acl: readonly AclEntry[]): string {
  return acl.map(({ permissions, scheme, id }) => `${scheme}:${shown(scheme, id)}:${letters(permissions)}`).join(',');
}

function shown(scheme: string, id: string): string {
  return scheme === 'digest' ? id.replace(/:.*/s, ':x') : id;
}

function letters(permissions: number): string {
  const granted = Object.entries(PERMISSIONS).filter(([, bit]) => (permissions & bit) !== 0);
  return granted.map(([letter]) => letter).join('');
}
