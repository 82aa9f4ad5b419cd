import type { Clock } from '../clock/index.js';
import type { JobName } from '../domain/index.js';
import type { JobEvent } from '../tracing/index.js';
import type { TaskBackend } from './task-backend.js';
import type { TaskRetries } from './task-envelope.js';
import type { TaskResources, TaskTemplate } from './task-order.js';

/** Wishes of a job for its tasks. */
export interface TaskSettings {
  readonly template: TaskTemplate;
  readonly resources: TaskResources;
  /** How long a task may run, in milliseconds. @default without limit */
  readonly timeoutMs?: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** How the task tries a failing item again. @default as its own application says */
  readonly retries?: TaskRetries;
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
  emit(event: JobEvent): void;
}
