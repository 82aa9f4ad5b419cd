import type { Trigger } from './trigger.js';

/** Items that this instance should run for a trigger: its own, except disabled ones and those under failover. */
export interface ShardAssignment {
  readonly trigger: Trigger;
  /** Ascending. */
  readonly items: readonly number[];
}
