import { waitUntil } from '../clock/index.js';
import { isLiveTaskState, Listeners, type LiveTaskState } from '../domain/index.js';
import type { TaskReport } from './task-report.js';

/**
 * The states of ElasticJob-Cloud, and QUEUED for a task that waits for resources.
 * - `STAGING`: it was created, and is not open yet, or is being started;
 * - `QUEUED`: the backend has no room for it yet;
 * - `RUNNING`;
 * - `UNREACHABLE`: its state is unknown; it may still run;
 * - `FINISHED`: its handler has returned or thrown;
 * - `FAILED`: it ended by itself, with a failure;
 * - `ERROR`: it could not be started, or belongs to no job of this application;
 * - `KILLED`: it was told to end, by its scheduler, by its time limit or from elsewhere;
 * - `LOST`: its scheduler, on which it depended, is gone;
 * - `DROPPED`: the backend needed its place; the task is innocent;
 * - `GONE`: its machine is gone, and the task with it;
 * - `GONE_BY_OPERATOR`: an operator has confirmed that;
 * - `UNKNOWN`: the backend does not know it.
 * @see ElasticJob-Cloud, `TaskState`
 */
export type TaskStateName = LiveTaskState | TaskEndName;

/** States that a task does not leave any more. */
export type TaskEndName =
  'FINISHED' | 'FAILED' | 'ERROR' | 'KILLED' | 'LOST' | 'DROPPED' | 'GONE' | 'GONE_BY_OPERATOR' | 'UNKNOWN';

/** Origin of the request to end a task. */
export type TaskKiller = 'scheduler' | 'timeout' | 'other';

/** State of a task, as far as it is known. */
export interface TaskState {
  readonly name: TaskStateName;
  /** For people: `exit code 3`, `0/3 nodes are available`. */
  readonly detail?: string;
  /** Exit code of a process that has ended by itself; only in an end. */
  readonly exitCode?: number;
  /** The task's own report; only in an end. */
  readonly report?: TaskReport;
  /** For KILLED. @default other */
  readonly killer?: TaskKiller;
}

/** True for a state that a task does not leave any more. */
export function isTaskEnd({ name }: Pick<TaskState, 'name'>): boolean {
  return !isLiveTaskState(name);
}

/** States of one task in order, for any number of watchers. An end is the last state. */
export class TaskHistory {
  /** States that a watcher has not read, for each. */
  private readonly unread = new Set<TaskState[]>();
  private readonly changes = new Listeners<() => void>();
  private ending = (): void => {};
  /** Resolves once the task has ended. */
  readonly ended = new Promise<void>((resolve) => (this.ending = resolve));

  constructor(private latest: TaskState) {}

  get present(): TaskState {
    return this.latest;
  }

  get hasEnded(): boolean {
    return isTaskEnd(this.latest);
  }

  /** Adds the next state, unless the task has ended. */
  add(state: TaskState): void {
    if (this.hasEnded) return;
    this.latest = state;
    for (const unread of this.unread) unread.push(state);
    this.changes.forEach((look) => look());
    if (this.hasEnded) this.ending();
  }

  /** @see TaskBackend.watch */
  async *watch(signal: AbortSignal): AsyncGenerator<TaskState, void, undefined> {
    const unread = [this.latest];
    this.unread.add(unread);
    try {
      for (;;) {
        signal.throwIfAborted();
        await waitUntil(
          () => unread.length > 0,
          (look) => this.changes.add(look),
          { signals: [signal] },
        );
        const state = unread.shift()!;
        yield state;
        if (isTaskEnd(state)) return;
      }
    } finally {
      this.unread.delete(unread);
    }
  }
}
