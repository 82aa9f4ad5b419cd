import type { TaskReport } from './task-report.js';

/**
 * The line between a local task and its scheduler: a duplex stream on the descriptor that the envelope names
 * (`TaskAnswers.channel`). In both directions it carries one JSON object a line, in UTF-8, without a byte order mark.
 *
 * The scheduler speaks first: `heldForMs` comes before anything that the task can do. It comes again at least three
 * times within each span that it grants. A task that hears nothing for the span last granted has lost its item, as has
 * one that hears `lost`, or whose channel has closed. A key that a side does not know is passed over.
 */
export const TASK_CHANNEL = 3;

/** The most bytes of one line, in both directions: a checkpoint's limit, and what is around it. */
export const MOST_CHANNEL_LINE_BYTES = 1_048_576;

/** A line to the task. */
export type TaskInstruction =
  /** How long it may act for its item from now on without hearing anything new, in milliseconds. */
  | { readonly heldForMs: number }
  /** The checkpoint of that id is in the registry. */
  | { readonly saved: number }
  /** The checkpoint of that id is not saved. */
  | { readonly refused: number; readonly message: string }
  /** It may not act for its item any more. SIGTERM follows, and SIGKILL after the grace. */
  | { readonly lost: string };

/** A line of the task. */
export type TaskStatement =
  /** Of its end, once: what was said last counts, and nothing after its exit. */
  | { readonly report: TaskReport }
  /** To be saved. Answered by `saved` or `refused` with the same id, which the task counts. */
  | { readonly checkpoint: unknown; readonly id: number };
