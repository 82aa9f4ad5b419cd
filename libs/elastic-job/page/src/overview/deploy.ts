import type { OverviewAnswer, VersionAnswer } from '../../../src/console/contract/answers.js';

/** A release that takes the place of another one, or instances that leave. */
export interface Deploy {
  /**
   * The release that replaces all others: each of its instances has joined after all of theirs. Undefined in a
   * rollback, or once an instance of an older release has come back: nobody knows which of them is to stay.
   */
  readonly to: VersionAnswer | undefined;
  /** The other releases that take part in the same jobs. */
  readonly others: readonly VersionAnswer[];
  /** Number of instances of all of these releases. */
  readonly instances: number;
  /** Number of jobs in which one of these releases takes part beside another one: that of the one with the most. */
  readonly jobs: number;
}

type Facts = Pick<OverviewAnswer, 'drainingInstances' | 'versions'>;

/**
 * The deploy that runs; null if there is none, and nobody leaves. Releases that share no job are those of several
 * applications.
 */
export function deployIn({ drainingInstances, versions }: Facts): Deploy | null {
  const mixed = versions.filter(({ mixedJobs }) => mixedJobs > 0);
  if (mixed.length === 0 && drainingInstances === 0) return null;
  const to = mixed.find((one) => mixed.every((other) => other === one || isAfter(one, other)));
  return {
    to: mixed.length > 1 ? to : undefined,
    others: mixed.filter((one) => mixed.length === 1 || one !== to),
    instances: mixed.reduce((sum, { instances }) => sum + instances, 0),
    jobs: Math.max(0, ...mixed.map(({ mixedJobs }) => mixedJobs)),
  };
}

function isAfter(one: VersionAnswer, other: VersionAnswer): boolean {
  return Date.parse(one.since) > Date.parse(other.lastJoined);
}
