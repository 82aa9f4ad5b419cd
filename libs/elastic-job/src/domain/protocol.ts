/**
 * Version of the texts that our instances write into the tree. Each instance names its version in its label; a record
 * is written in the version that all instances can read.
 */
export const PROTOCOL = 1;

/** What this release can do and one before it cannot, as far as instances must know it of each other. */
export const ABILITIES: readonly string[] = [];

/**
 * The newest protocol that this instance and all others can read.
 * @param others the versions of the other instances of ours
 */
export function commonProtocol(others: Iterable<number>): number {
  return Math.min(PROTOCOL, ...others);
}
