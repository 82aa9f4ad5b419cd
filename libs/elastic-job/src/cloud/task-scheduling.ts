import type { Clock } from '../clock/index.js';
import type { JobName, RunningTask, StoredRecord } from '../domain/index.js';
import type { JobEvent } from '../tracing/index.js';
import type { TaskBackend } from './task-backend.js';
import type { TaskRetries } from './task-envelope.js';
import type { TaskKey, TaskResources, TaskTemplate } from './task-order.js';

/** Wishes of a job for its tasks. */
export interface TaskSettings {
  readonly template: TaskTemplate;
  readonly resources: TaskResources;
  /** How long a task may run, in milliseconds. @default without limit */
  readonly timeoutMs?: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** The template under which its application knows the job, beside its name. @default it knows the name */
  readonly knownAs?: string;
  /** How the task tries a failing item again. @default as its own application says */
  readonly retries?: TaskRetries;
}

/** The place where operators see the task of one run. Nobody waits for it. */
export interface TaskDisplay {
  show(task: RunningTask): void;
  /** Called before the run is settled. */
  hide(): void;
}

/** Parts that all tasks of a scheduler share. */
export interface TaskScheduling {
  /** Started by whoever owns it. */
  readonly backend: TaskBackend;
  /** Of all schedulers that share the jobs. */
  readonly cluster: string;
  readonly clock: Clock;
  /** As the job's configuration says it now. */
  settingsOf(jobName: JobName): TaskSettings;
  /**
   * Reads the records of items as they stand now: what was written before the call is seen.
   * @returns one for each item, in their order; undefined: it has none, or its job is gone
   */
  recordsOf(
    items: readonly Pick<TaskKey, 'jobName' | 'item'>[],
    signal: AbortSignal,
  ): Promise<readonly (StoredRecord | undefined)[]>;
  /** @default tasks are shown nowhere */
  displayOf?(item: Pick<TaskKey, 'jobName' | 'item'>): TaskDisplay;
  emit(event: JobEvent): void;
}
