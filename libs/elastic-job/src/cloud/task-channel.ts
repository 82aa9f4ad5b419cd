import { hostMonotonicNow } from '../clock/index.js';
import type { TaskReport } from './task-report.js';

/**
 * Channel between a local task and its scheduler: a duplex stream on the descriptor that the envelope names
 * (`TaskAnswers.channel`). In both directions it carries one JSON object a line, in UTF-8, without a byte order mark.
 *
 * The scheduler speaks first: `heldForMs` comes before the task can do anything. It comes again at least three times
 * within each span that it grants. A task has lost its item if it reads nothing for the last granted span, if it reads
 * `lost`, or if its channel closes. A task that has read nothing for a while first reads what waits in the channel.
 * Both sides ignore keys that they do not know.
 *
 * Nothing is read faster than it is dealt with: while the scheduler saves checkpoints that have come together, further
 * lines wait in the channel, and a task that goes on writing waits as well.
 */
export const TASK_CHANNEL = 3;

/**
 * Most bytes of one line, in both directions: the limit of a checkpoint, with its surroundings. A longer one ends the
 * task.
 */
export const MOST_CHANNEL_LINE_BYTES = 1_048_576;

/** How long the task may act for its item without further news. */
export interface ChannelGrant {
  /** Milliseconds, from `at` on: a grant that has waited in the channel is shorter by that. */
  readonly heldForMs: number;
  /** Milliseconds on the monotonic clock of the host (CLOCK_MONOTONIC), which all of its processes share. */
  readonly at: number;
}

/** The time that is left of a grant, in milliseconds. @param now on the clock of `at` */
export function leftOfGrant({ at, heldForMs }: ChannelGrant, now = hostMonotonicNow()): number {
  return Math.max(0, heldForMs - Math.max(0, now - at));
}

/** A line to the task. */
export type TaskInstruction =
  | ChannelGrant
  /** The checkpoint with this id is in the registry. */
  | { readonly saved: number }
  /** The checkpoint with this id is not saved. */
  | { readonly refused: number; readonly message: string }
  /**
   * The task may not act for its item any more. SIGTERM follows, and SIGKILL after the grace, or before others can have
   * the item if that is sooner.
   */
  | { readonly lost: string };

/** A line from the task. */
export type TaskStatement =
  /** Its end, once: the last report counts, and none after its exit. */
  | { readonly report: TaskReport }
  /** A checkpoint to be saved. The answer is `saved` or `refused` with the same id, which the task counts up. */
  | { readonly checkpoint: unknown; readonly id: number };
