import { inOwnContext } from '../async-context/index.js';
import { type Clock, Deadline } from '../clock/index.js';
import type { JobName, RunningTask, StoredRecord } from '../domain/index.js';
import type { JobEvent } from '../tracing/index.js';
import { describeTask, type TaskBackend, type TaskHandle } from './task-backend.js';
import type { TaskRetries } from './task-envelope.js';
import type { TaskKey, TaskResources, TaskTemplate } from './task-order.js';

/** Settings of a job for its tasks. */
export interface TaskSettings {
  readonly template: TaskTemplate;
  readonly resources: TaskResources;
  /** Longest run of a task, in milliseconds. @default without limit */
  readonly timeoutMs?: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** Template under which its application knows the job, besides its name. @default it knows the name */
  readonly knownAs?: string;
  /** Settings of the task's retries. @default those of its own application */
  readonly retries?: TaskRetries;
}

/** Place where operators see the task of a run. Its writes are not waited for. */
export interface TaskDisplay {
  show(task: RunningTask): void;
  /** Called before the run is settled. */
  hide(): void;
}

/** Parts that all tasks of a scheduler share. */
export interface TaskScheduling {
  /** Its owner starts it. */
  readonly backend: TaskBackend;
  /** Name of all schedulers that share the jobs. */
  readonly cluster: string;
  readonly clock: Clock;
  /** Settings of the job's present configuration. */
  settingsOf(jobName: JobName): TaskSettings;
  /**
   * Reads the present records of items, including every write before the call.
   * @returns one for each item, in their order; undefined if it has none, or its job is gone
   */
  recordsOf(
    items: readonly Pick<TaskKey, 'jobName' | 'item'>[],
    signal: AbortSignal,
  ): Promise<readonly (StoredRecord | undefined)[]>;
  /** @default tasks are not shown */
  displayOf?(item: Pick<TaskKey, 'jobName' | 'item'>): TaskDisplay;
  emit(event: JobEvent): void;
}

/** Most bytes of a task's output in its release event. */
const TAIL_BYTES = 65_536;
/** Longest wait for a task's output, in milliseconds. */
const TAIL_LIMIT_MS = 5_000;

/**
 * Frees the place of a task that is not followed any more, and reports the end of its output, if the backend gives it.
 */
export async function releaseTask(scheduling: TaskScheduling, handle: TaskHandle): Promise<void> {
  const tail = await readTail(scheduling, handle);
  await scheduling.backend.release(handle);
  scheduling.emit({ kind: 'task-released', ...describeTask(handle), tail });
}

/** Never rejects: a task without a readable output is released all the same. */
async function readTail({ backend, clock }: TaskScheduling, handle: TaskHandle): Promise<string | undefined> {
  let tail: unknown;
  const read = async (): Promise<void> => {
    tail = await inOwnContext(() => backend.tail(handle, TAIL_BYTES));
  };
  await Deadline.after(clock, TAIL_LIMIT_MS)
    .holdsFor(read())
    .catch(() => {});
  return typeof tail === 'string' ? tail.slice(-TAIL_BYTES) : undefined;
}
