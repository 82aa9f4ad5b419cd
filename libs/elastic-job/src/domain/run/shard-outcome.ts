import type { ItemTrace } from './item-trace.js';
import type { Target } from './trigger.js';

/** How the run of one item ended. A handler that throws is an outcome, not an error of the scheduler. */
export type ShardOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The handler returned after its signal had aborted. */
  | { readonly kind: 'aborted'; readonly reason: unknown };

export type ShardOutcomeKind = ShardOutcome['kind'];

/** The run of an item as its begin has written it. */
export interface BegunItem {
  /** Names the begin in the item's record. */
  readonly run: string;
  readonly target: Target;
  /** Of work in tasks: which launch of the target this is, counted from 1. */
  readonly launch: number;
  /** How long this instance may still act for the item if it hears nothing new, in milliseconds; 0: not any more. */
  heldForMs(): number;
  /**
   * Asks the registry whether the item's record is still of this run: false once another instance has begun the item.
   * A pause of any length may lie before it.
   */
  isLatest(): Promise<boolean>;
  /** Of work in tasks, while a tracer follows the run. */
  readonly trace?: ItemTrace;
}

/** What became of an item that was begun: its outcome, or the news that another run of it holds the newer token. */
export type SettledOutcome = ShardOutcome | { readonly kind: 'fenced' };
