import type { Clock } from '../clock/index.js';
import type { JobName, RunningTask, StoredRecord } from '../domain/index.js';
import type { JobEvent } from '../tracing/index.js';
import type { TaskBackend } from './task-backend.js';
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
