import type { JobName } from '../cluster/index.js';

/** A place on the count from which fencing tokens are taken. Compared epoch first. */
export interface FencePosition {
  readonly tokenEpoch: number;
  readonly token: bigint;
}

/** A store that remembers the newest run which has written to it; the guards are such. */
export interface FencedStore {
  /**
   * Checks at start that the registry has not fallen behind the store: then every write would be refused.
   * @param registry what a run that began now would have, or a little less
   * @throws {FenceAheadError} if it has; the message names the remedy
   */
  assertNotAhead(jobName: JobName, registry: FencePosition): Promise<void>;
}

export function isAheadOf(a: FencePosition, b: FencePosition): boolean {
  return a.tokenEpoch === b.tokenEpoch ? a.token > b.token : a.tokenEpoch > b.tokenEpoch;
}
