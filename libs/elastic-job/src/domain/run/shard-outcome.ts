import type { ItemTrace } from './item-trace.js';
import type { Target } from './trigger.js';

/** How the run of one item ended. A handler that throws is an outcome, not an error of the scheduler. */
export type ShardOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The handler returned after its signal had aborted. */
  | { readonly kind: 'aborted'; readonly reason: unknown };

export type ShardOutcomeKind = ShardOutcome['kind'];

/** The run of an item, as its begin was written. */
export interface BegunItem {
  /** Name of the begin in the item's record. */
  readonly run: string;
  readonly target: Target;
  /** For work in tasks: number of the launch for the target, from 1. */
  readonly launch: number;
  /**
   * How long this instance may still act for the item without further news, in milliseconds; 0: not now, or no longer.
   */
  heldForMs(): number;
  /** How long others leave the item alone after that, in milliseconds: what acts for it must end within this time. */
  readonly lossGraceMs: number;
  /** True once the session of the run is over: others may have the item. */
  isLost(): boolean;
  /**
   * Asks the registry whether the item's record still shows this run: false once another instance has begun the item.
   * Any pause may lie before the call.
   */
  isLatest(): Promise<boolean>;
  /**
   * Signal, created by the call, for a run that has been told to stop and waits for the end of its executor. It aborts
   * when there is nothing more to wait for: an operator has confirmed that the executor is gone
   * (`ExecutorDeathError`), or the session is over.
   */
  lastSignal(): AbortSignal;
  /**
   * Call this once the task belongs to this run: the signal aborts if a former run that has followed it was told to
   * stop for good. Not before, since the task would then be left to itself.
   */
  onAdopted(): void;
  /** For work in tasks, while a tracer follows the run. */
  readonly trace?: ItemTrace;
}

/** Final result of a begun item: its outcome, or `fenced` if its lease is over. */
export type SettledOutcome = ShardOutcome | FencedOutcome;

/** The end of a run whose lease was over first: what its handler returned does not count. */
export interface FencedOutcome {
  readonly kind: 'fenced';
  /** How its handler had ended, if it returned before the lease was over and the registry has not confirmed that. */
  readonly unrecorded?: 'succeeded' | 'failed';
}

/** @param outcome of a handler that has returned, whose end the registry has not confirmed */
export function fencedAfter({ kind }: ShardOutcome): SettledOutcome {
  return kind === 'aborted' ? { kind: 'fenced' } : { kind: 'fenced', unrecorded: kind };
}
