import type { JobName } from '../domain/index.js';

/** A task that runs an item. */
export interface TaskOfItem {
  /** Of its target, in milliseconds since the epoch. */
  readonly fireTime: number;
  /** Which launch of its target it is, counted from 1. */
  readonly launch: number;
  /** As the backend names it. */
  readonly uid: string;
  /** The machine that it runs on, if that is known. */
  readonly node: string | undefined;
}

/** Events of the tasks that run the items of jobs. */
export type TaskEvent =
  /** A task was made for an item, and does nothing before it is opened. */
  | {
      readonly kind: 'task-launched';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
    }
  /** A task that another scheduler has launched is followed by this instance from now on. */
  | {
      readonly kind: 'task-adopted';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
    }
  /** The backend has no room for the task yet. `detail`: what it says of that. */
  | {
      readonly kind: 'task-queued';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
      readonly detail: string | undefined;
    }
  /**
   * The task is in another state now, in ElasticJob-Cloud's words. `startedAfterMs`: of the first RUNNING of a task
   * that was launched here, the time since the begin of its run, in milliseconds.
   */
  | {
      readonly kind: 'task-state';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
      readonly state: string;
      readonly detail: string | undefined;
      readonly startedAfterMs?: number;
    }
  /** A task has died by no fault of its own. The item is launched again if it fails over. */
  | {
      readonly kind: 'task-lost';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
      readonly state: string;
      readonly detail: string | undefined;
    }
  /** The task is settled, and gone. `tail`: the end of what it has written. */
  | {
      readonly kind: 'task-released';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
      readonly tail: string | undefined;
    };
