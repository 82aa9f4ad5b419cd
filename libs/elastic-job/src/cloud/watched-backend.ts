import type { TaskBackendStatus } from '../domain/index.js';
import type { JobEvent } from '../tracing/index.js';
import type { TaskBackendEvent } from './task-backend.js';
import type { TaskJobType } from './task.job-type.js';
import type { TaskScheduling } from './task-scheduling.js';

/** A backend with its status: its news become events, and are kept for the status. */
export class WatchedBackend {
  private failure: { readonly since: number; readonly error: unknown } | undefined;

  constructor(
    private readonly scheduling: TaskScheduling,
    private readonly type: Pick<TaskJobType, 'running'>,
  ) {}

  /** From memory. */
  get status(): TaskBackendStatus {
    const { mostTasks, name } = this.scheduling.backend;
    return {
      name,
      failingSince: this.failure?.since,
      error: this.failure?.error,
      mostTasks,
      tasks: this.type.running,
    };
  }

  hear(event: TaskBackendEvent): void {
    const { backend, clock } = this.scheduling;
    const emit = (told: JobEvent): void => this.scheduling.emit(told);
    switch (event.kind) {
      case 'connected':
        this.failure = undefined;
        return;
      case 'disconnected': {
        const { error } = event;
        this.failure = { since: this.failure?.since ?? clock.wallNow(), error };
        return emit({
          kind: 'error',
          jobName: undefined,
          message: `the task backend ${backend.name} does not answer`,
          error,
        });
      }
      case 'warning':
        return emit({ kind: 'warning', jobName: undefined, message: event.message });
      default:
        event satisfies never;
    }
  }
}
