import { countWhile } from '../collections.js';
import { processOf } from './names.js';

/** The clock offset that one instance has reported in one job. */
export interface ReportedOffset {
  readonly jobInstanceId: string;
  /** How far its clock is ahead of the registry's, in milliseconds. */
  readonly offsetMs: number;
  /** The transaction that reported it; a greater one is later. */
  readonly reportedIn: bigint;
}

/**
 * Latest offset of each process. A process has one clock and so one vote, however many jobs it runs, and also while the
 * nodes of an earlier session are still there.
 */
export function offsetsByProcess(reported: readonly ReportedOffset[]): ReadonlyMap<string, number> {
  const inOrder = reported.toSorted((a, b) => (a.reportedIn < b.reportedIn ? -1 : 1));
  return new Map(inOrder.map(({ jobInstanceId, offsetMs }) => [processOf(jobInstanceId), offsetMs]));
}

/**
 * Decides by how many milliseconds the reference clock is ahead of the registry's: 0, unless most instances agree that
 * the registry's clock is wrong. Then the reference is the middle of what they report. Without a majority the former
 * decision stands as long as one instance supports it. A single instance cannot know, so the registry's clock counts.
 * @param own how far this host's clock is ahead of the registry's
 * @param others the offsets that the other instances have reported
 * @param former the decision before this one
 */
export function decideReference(own: number, others: readonly number[], toleranceMs: number, former: number): number {
  const all = [own, ...others];
  const sorted = all.toSorted((a, b) => a - b);
  // Thousands may report, so the agreeing ones are counted by their places.
  const agreeing = (offset: number) => {
    const from = countWhile(sorted, (other) => offset - other > toleranceMs);
    return { from, count: countWhile(sorted, (other) => other - offset <= toleranceMs) - from };
  };
  const most = all.map(agreeing).find(({ count }) => 2 * count > all.length);
  if (most !== undefined && others.length > 0) {
    const middle = sorted[most.from + Math.floor(most.count / 2)]!;
    return Math.abs(middle) <= toleranceMs ? 0 : middle;
  }
  return agreeing(former).count > 0 ? former : 0;
}
