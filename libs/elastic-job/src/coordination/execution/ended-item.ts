import type { RunNote } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';

/** State of an end in the tree: not written yet, written, or overtaken by another run of the item. */
export type Standing = 'open' | 'recorded' | 'fenced';

/** An item whose run has ended, or was told to, and waits for a settle transaction. */
export interface EndedItem {
  readonly item: number;
  /** The fire time of its run, in milliseconds since the epoch. */
  readonly fireTime: number;
  /** Nodes that show the state of the end. */
  readonly paths: readonly string[];
  readonly operations: readonly Operation[];
  /** True if another instance has replaced this run's mark, so the nodes must be read again before a write. */
  readonly isDisturbed: boolean;
  /** Consequence of the end for jobs that start after this one. @default none */
  readonly note?: RunNote;
  /**
   * Judges the end after a lost reply or a refusal, with the paths loaded. If it is open, `operations` become those
   * still to do.
   */
  judgeStanding(): Standing;
  /** Called once it is known if the end was recorded or another run has taken over the item. */
  onSettled(isRecorded: boolean): void;
}

/** Failed attempts to record an end. */
export interface Delay {
  /** First one, in milliseconds since the epoch. */
  readonly since: number;
  /** Moment on the monotonic clock at which it is to be reported. */
  readonly deadline: number;
  /** Error of the latest one. */
  error: unknown;
  isTold: boolean;
}

/** An ended item on its way into the registry. @see SettleQueue */
export interface End {
  readonly ended: EndedItem;
  state: 'queued' | 'asked' | 'sent' | 'resting' | 'doubtful' | 'over';
  /** Races that it has lost since it was taken. */
  lostRaces: number;
  /** Undefined as long as no attempt has failed. */
  delay: Delay | undefined;
}
