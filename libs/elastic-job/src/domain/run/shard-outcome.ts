/** How the run of one item ended. A handler that throws is an outcome, not an error of the scheduler. */
export type ShardOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The handler returned after its signal had aborted. */
  | { readonly kind: 'aborted'; readonly reason: unknown };

export type ShardOutcomeKind = ShardOutcome['kind'];

/** What became of an item that was begun: its outcome, or the news that another run of it holds the newer token. */
export type SettledOutcome = ShardOutcome | { readonly kind: 'fenced' };
