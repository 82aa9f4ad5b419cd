/**
 * The version of what our instances write into the tree. Each names its own in its label; the format of a record is the
 * protocol that it was written in.
 */
export const PROTOCOL = 1;

/** The newest protocol that this instance and all others know. @param others those of the other instances of ours */
export function commonProtocol(others: Iterable<number>): number {
  return Math.min(PROTOCOL, ...others);
}
