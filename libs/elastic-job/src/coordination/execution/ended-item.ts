import type { RunNote } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';

/** What the tree says of an end: still to be written, written, or that another run has taken the item over. */
export type Standing = 'open' | 'recorded' | 'fenced';

/** An item that has ended, on its way into a settle transaction. */
export interface EndedItem {
  readonly item: number;
  /** The fire time of its run, in milliseconds since the epoch. */
  readonly fireTime: number;
  /** The nodes that show what has become of it. */
  readonly paths: readonly string[];
  readonly operations: readonly Operation[];
  /** Somebody has put another run's mark in the place of this one's: read anew before anything is written. */
  readonly isDisturbed: boolean;
  /** What its end means for the jobs that are started after this one. @default nothing */
  readonly note?: RunNote;
  /**
   * Called after the reply was lost or the operations were refused, with the paths loaded. If it is open, the
   * operations are those that are left to do.
   */
  judgeStanding(): Standing;
  /** Called once, when it is known whether the end was recorded or another run had taken the item over. */
  onSettled(isRecorded: boolean): void;
}
