// A task backend as its scheduler uses it: its status, and the faults that it finds in templates and schedules.
import { inOwnContext } from '../async-context/index.js';
import {
  handleRejection,
  type JobConfiguration,
  messageOf,
  type OnThrown,
  readable,
  shortestIntervalMs,
  type TaskBackendStatus,
} from '../domain/index.js';
import type { TaskBackend, TaskBackendEvent } from './task-backend.js';
import type { TaskTemplate } from './task-order.js';
import type { TaskScheduling } from './task-scheduling.js';
import type { TaskJobType } from './task.job-type.js';

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

  receive(event: TaskBackendEvent): void {
    const { scheduling } = this;
    const { backend, clock } = scheduling;
    switch (event.kind) {
      case 'connected':
        this.failure = undefined;
        return;
      case 'disconnected': {
        const { error } = event;
        this.failure = { since: this.failure?.since ?? clock.wallNow(), error };
        const message = `the task backend ${backend.name} does not answer`;
        return scheduling.emit({ kind: 'error', jobName: undefined, message, error });
      }
      case 'warning':
        return scheduling.emit({ kind: 'warning', jobName: undefined, message: event.message });
      default:
        event satisfies never;
    }
  }
}

/**
 * The fault that a backend finds in a template; undefined if there is none. A check that fails is a fault as well, and
 * `onThrown` is called with its error.
 */
export function findTemplateFault(
  backend: Pick<TaskBackend, 'findFault'>,
  template: TaskTemplate,
  onThrown: OnThrown = () => {},
): string | undefined {
  try {
    const fault: unknown = inOwnContext(() => backend.findFault(template));
    handleRejection(fault);
    if (typeof fault === 'string') return fault;
    if (fault === undefined || fault === null) return undefined;
    return `its findFault must return a text or undefined, but has returned ${typeof fault}`;
  } catch (thrown) {
    const error = readable(thrown);
    onThrown(error);
    return `its findFault has thrown: ${messageOf(error)}`;
  }
}

/**
 * Reports a job that fires faster than its tasks can be launched; undefined if it does not. Resident jobs have no fire
 * times.
 * @param now in milliseconds since the epoch
 */
export function findIntervalFault(
  { leastIntervalMs }: Pick<TaskBackend, 'leastIntervalMs'>,
  { cron, resident, timeZone }: Partial<Pick<JobConfiguration, 'cron' | 'resident' | 'timeZone'>>,
  now: number,
): string | undefined {
  if (cron === undefined || resident) return undefined;
  const intervalMs = shortestIntervalMs(cron, { after: now, timeZone });
  if (intervalMs >= leastIntervalMs) return undefined;
  return `its fire times are ${intervalMs} ms apart, and it launches none more often than every ${leastIntervalMs} ms`;
}
