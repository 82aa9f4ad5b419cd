import type { Clock } from '../../clock/index.js';
import type { TaskHandle, TaskOrder, TaskState } from '../../cloud/index.js';

/** Environment of the function that takes the place of a task's program. */
export interface MemoryTaskContext {
  /** The order of its launch. */
  readonly order: TaskOrder;
  /** The text of `ELASTIC_JOB_TASK`. */
  readonly envelope: string;
  /** Clock of the cluster, which goes on when a scheduler is paused. */
  readonly clock: Clock;
  /** Aborts when the task is told to end, as by SIGTERM. */
  readonly signal: AbortSignal;
  /** How long its scheduler may still act for it, in milliseconds; 0 without a link. */
  readonly heldForMs: () => number;
  /** @throws the scheduler's answer, or an error without a link */
  readonly saveCheckpoint: (value: unknown) => Promise<void>;
  /** Appends to its output. */
  readonly write: (text: string) => void;
}

/**
 * A task's program. The task is FINISHED when this returns or throws, unless this returns another end. An error after
 * the task was told to end is an obedient end: KILLED.
 */
export type MemoryTaskRun = (context: MemoryTaskContext) => Promise<TaskState | void>;

/** A state of a task, and how long it lasts, in milliseconds. */
export interface MemoryTaskStep {
  readonly state: TaskState;
  /** @default 0 */
  readonly ms?: number;
}

/** The program of a task: a function, or states one after the other, of which the last one is an end. */
export type MemoryTaskScript = MemoryTaskRun | readonly MemoryTaskStep[];

/**
 * An effect on a task. `started`: it is RUNNING for the first time. `ended`: its process does nothing any more, though
 * no watcher may know yet.
 */
export type MemoryTaskEvent =
  | { readonly kind: 'launched' | 'adopted' | 'opened' | 'started' | 'released'; readonly handle: TaskHandle }
  | { readonly kind: 'ended'; readonly handle: TaskHandle; readonly state: TaskState };
