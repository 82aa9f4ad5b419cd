import { processOf } from './job-instance.js';

/** What one instance has told of its clock in one job. */
export interface ToldOffset {
  readonly jobInstanceId: string;
  /** How far its clock is ahead of the registry's, in milliseconds. */
  readonly offsetMs: number;
  /** The transaction in which it told so: the greater, the later. */
  readonly toldIn: bigint;
}

/**
 * The offsets by process: what each has told last. A process has one clock, and one vote, in however many jobs it is,
 * and also while the nodes of a session that it has lost are still there.
 */
export function offsetsByProcess(told: readonly ToldOffset[]): ReadonlyMap<string, number> {
  const inOrder = told.toSorted((a, b) => (a.toldIn < b.toldIn ? -1 : 1));
  return new Map(inOrder.map(({ jobInstanceId, offsetMs }) => [processOf(jobInstanceId), offsetMs]));
}

/**
 * How far the clock by which instances are judged is ahead of the registry's, in milliseconds: 0, unless most instances
 * agree that the registry's is the wrong one. Then it is what they show, in the middle. Where no most agree, that
 * stands as long as one shows it. An instance alone cannot know; then the registry counts.
 * @param own how far this host's clock is ahead of the registry's
 * @param others what the other instances have told of theirs
 * @param former what was decided before
 */
export function decideReference(own: number, others: readonly number[], toleranceMs: number, former: number): number {
  const all = [own, ...others];
  const agreeing = (offset: number) => all.filter((other) => Math.abs(other - offset) <= toleranceMs);
  const most = all.map(agreeing).find((some) => 2 * some.length > all.length);
  if (most !== undefined && others.length > 0) {
    const middle = most.toSorted((a, b) => a - b)[Math.floor(most.length / 2)]!;
    return Math.abs(middle) <= toleranceMs ? 0 : middle;
  }
  return agreeing(former).length > 0 ? former : 0;
}
