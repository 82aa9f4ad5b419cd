/**
 * Version of the texts that our instances write into the tree. Each instance names its version in its label; a record
 * is written in the version that all instances can read.
 */
export const PROTOCOL = 1;

/** Ability of an instance that runs re-runs and notes their progress. */
export const RUNS_RERUNS = 'reruns';

/** Abilities of this release that one before it lacks, as far as instances must know them of each other. */
export const ABILITIES: readonly string[] = [RUNS_RERUNS];

/**
 * The newest protocol that this instance and all others can read.
 * @param others the versions of the other instances of ours
 */
export function commonProtocol(others: Iterable<number>): number {
  return Math.min(PROTOCOL, ...others);
}
