import { sharedNow } from '../../../clock/index.js';

/** Why a task is lost whose grants have ended. */
export const SILENT = 'the scheduler was silent for longer than its lease';

/**
 * How long a scheduler may act for an item. The instant is on the clock that all processes of the host share, so that a
 * message which was late, or whose writer stood still, grants nothing more.
 */
export interface Grant {
  /** Milliseconds of `sharedNow`: from when the spans count. */
  readonly at: number;
  /** The scheduler may act for it for this time, in milliseconds. */
  readonly heldForMs: number;
  /** Others leave the item alone for this time after that, in milliseconds. */
  readonly lossGraceMs: number;
}

/** The time that is left of a grant, in milliseconds. */
export function leftOf({ at, heldForMs }: Grant, now = sharedNow()): number {
  return Math.max(0, heldForMs - Math.max(0, now - at));
}
