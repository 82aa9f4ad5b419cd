import type { JobName } from '../cluster/index.js';

/** A position in the sequence of fencing tokens. Compared by epoch first. */
export interface FencePosition {
  readonly tokenEpoch: number;
  readonly token: bigint;
}

/** A store that remembers the token of the newest run that has written to it; the guards are such stores. */
export interface FencedStore {
  /**
   * Checks at start that the registry has not fallen behind the store, which would refuse every write.
   * @param registry the token that a run would have now, or a little less
   * @throws {FenceAheadError} if it has; the message names the remedy
   */
  assertNotAhead(jobName: JobName, registry: FencePosition): Promise<void>;
}

export function isAheadOf(a: FencePosition, b: FencePosition): boolean {
  return a.tokenEpoch === b.tokenEpoch ? a.token > b.token : a.tokenEpoch > b.tokenEpoch;
}
