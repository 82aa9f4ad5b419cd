import type { LiveTaskState } from '../domain/index.js';
import type { TaskReport } from './task-report.js';

/**
 * The states of ElasticJob-Cloud, and QUEUED for a task that waits for resources.
 * - `STAGING`: it was made, and is not open yet, or is being started;
 * - `QUEUED`: the backend has no room for it yet;
 * - `RUNNING`;
 * - `UNREACHABLE`: nobody can say; it may run still;
 * - `FINISHED`: its handler has returned or thrown;
 * - `FAILED`: it ended by itself, with a failure;
 * - `ERROR`: it could not be started, or is none of this application's;
 * - `KILLED`: it was told to end, by its scheduler, by its time limit or by somebody else;
 * - `LOST`: its scheduler, on which it depended, is gone;
 * - `DROPPED`: the backend needed its place; the task is innocent;
 * - `GONE`: its machine is gone, and it with that;
 * - `GONE_BY_OPERATOR`: an operator has confirmed that;
 * - `UNKNOWN`: the backend does not know it.
 * @see ElasticJob-Cloud, `TaskState`
 */
export type TaskStateName = LiveTaskState | TaskEndName;

/** The states that a task does not leave any more. */
export type TaskEndName =
  'FINISHED' | 'FAILED' | 'ERROR' | 'KILLED' | 'LOST' | 'DROPPED' | 'GONE' | 'GONE_BY_OPERATOR' | 'UNKNOWN';

/** By whom a task was told to end. */
export type TaskKiller = 'scheduler' | 'timeout' | 'other';

/** The state of a task, as far as it is known now. */
export interface TaskState {
  readonly name: TaskStateName;
  /** For people: `exit code 3`, `0/3 nodes are available`. */
  readonly detail?: string;
  /** Of a process that has ended by itself; only in an end. */
  readonly exitCode?: number;
  /** The task's own report; only in an end. */
  readonly report?: TaskReport;
  /** Of KILLED. @default other */
  readonly killer?: TaskKiller;
}
