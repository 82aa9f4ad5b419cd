// Messages between a scheduler and the supervisor of its tasks. The two may be of two releases: a supervisor that has
// died is started again from the file that is there then, and the package may have been replaced. So kinds keep names.
import type { ChannelGrant } from '../../task-channel.js';

/** Channel between a scheduler and its supervisor: one JSON object a line, on this descriptor of the supervisor. */
export const SUPERVISOR_CHANNEL = 3;

/** Settings of a supervisor, which it gets as the JSON in its only argument. */
export interface SupervisorSettings {
  /** How often the memory of tasks is read, in milliseconds. */
  readonly memoryPollMs: number;
  /** Most bytes that are kept of a task's output. */
  readonly outputLimit: number;
}

/** Why a task is lost whose grants have ended. */
export const SILENT = 'the scheduler was silent for longer than its lease';

/**
 * How long a scheduler may act for an item. The instant is on the clock that all processes of the host share, so that a
 * message which was late, or whose writer stood still, grants nothing more.
 */
export interface Grant extends ChannelGrant {
  /** Others leave the item alone for this time after that, in milliseconds. */
  readonly lossGraceMs: number;
}

/** A program with its environment. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly workingDirectory: string;
}

/** An order to start a task. */
export interface StartOrder extends Grant, Program {
  readonly kind: 'start';
  readonly id: string;
  /** Milliseconds. */
  readonly graceMs: number;
  /** Milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Mebibytes. */
  readonly memoryMb: number;
}

/** Reason why a task was told to end. */
export type EndCause = 'cancel' | 'timeout' | 'lost' | 'memory' | 'channel';

/** A message to the supervisor. */
export type SupervisorOrder =
  | StartOrder
  | ({ readonly kind: 'hold'; readonly id: string } & Grant)
  /** A line for the task. */
  | { readonly kind: 'tell'; readonly id: string; readonly line: string }
  | {
      readonly kind: 'end';
      readonly id: string;
      readonly cause: EndCause;
      readonly detail: string;
      readonly graceMs: number;
    }
  | { readonly kind: 'kill'; readonly id: string }
  /** The last lines from the task are dealt with, so more of its channel can be read. */
  | { readonly kind: 'heard'; readonly id: string }
  | { readonly kind: 'tail'; readonly id: string; readonly question: number; readonly bytes: number };

/** End of a task. */
export interface TaskEnding {
  readonly code: number | null;
  readonly signal: string | null;
  /** Reason why it could not be started. */
  readonly error?: string;
  /** Reason why it was told to end. */
  readonly cause?: EndCause;
  /** Details of the cause. */
  readonly detail?: string;
  /** The end of its output. */
  readonly output: string;
  /** Time since its start, in milliseconds. */
  readonly ms: number;
}

/** A message from the supervisor. */
export type SupervisorReport =
  | {
      readonly kind: 'ready';
      /** True if tasks are killed with the supervisor. */
      readonly endsOrphans: boolean;
    }
  | { readonly kind: 'started'; readonly id: string; readonly pid: number }
  /** Lines from the task. No more are read before the scheduler has answered with `heard`. */
  | { readonly kind: 'said'; readonly id: string; readonly lines: readonly string[] }
  | { readonly kind: 'ended'; readonly id: string; readonly ending: TaskEnding }
  | { readonly kind: 'tail'; readonly question: number; readonly text: string | null };
