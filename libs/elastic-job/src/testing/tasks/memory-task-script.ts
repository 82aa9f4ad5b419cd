import type { Clock } from '../../clock/index.js';
import type { TaskOrder, TaskState } from '../../cloud/index.js';

/** Surroundings of the function that stands for a task's program. */
export interface MemoryTaskContext {
  /** As it was launched. */
  readonly order: TaskOrder;
  /** The text of `ELASTIC_JOB_TASK`. */
  readonly envelope: string;
  /** Of the cluster, which goes on when a scheduler stands still. */
  readonly clock: Clock;
  /** Aborts when the task is told to end: SIGTERM. */
  readonly signal: AbortSignal;
  /** How long its scheduler may still act for it, in milliseconds; 0 without a link. */
  readonly heldForMs: () => number;
  /** @throws what the scheduler answers, or an error without a link */
  readonly saveCheckpoint: (value: unknown) => Promise<void>;
  /** Adds to its output. */
  readonly write: (text: string) => void;
}

/**
 * A task's program. It is FINISHED when this returns or throws, unless this returns another end. What it throws after
 * it was told to end is an obedient end: KILLED.
 */
export type MemoryTaskRun = (context: MemoryTaskContext) => Promise<TaskState | void>;

/** A state that is told of a task, and how long it lasts, in milliseconds. */
export interface MemoryTaskStep {
  readonly state: TaskState;
  /** @default 0 */
  readonly ms?: number;
}

/** The program of a task: a function, or states one after the other, of which the last one is an end. */
export type MemoryTaskScript = MemoryTaskRun | readonly MemoryTaskStep[];
