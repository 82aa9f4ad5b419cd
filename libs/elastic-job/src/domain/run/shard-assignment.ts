import type { Trigger } from './trigger.js';

/** The items that this instance should run for a trigger: its own, less disabled ones and those under failover. */
export interface ShardAssignment {
  readonly trigger: Trigger;
  /** Ascending. */
  readonly items: readonly number[];
}
