import type {
  CutShortReason,
  ExecutionSource,
  ExecutorDeathState,
  JobName,
  Requeue,
  Trigger,
} from '../domain/index.js';

/** The begin of an item's run, as its record in the registry has it. */
export interface RecordedBegin {
  /** Id of the begin. Items that were begun together have the same. */
  readonly run: string;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
  /** The fencing token, as a decimal number. */
  readonly token: string;
  /** Number of the launch for the target, from 1; above 1 only for work in tasks. */
  readonly launch: number;
}

/** Events of runs whose instance or executor has died. */
export type FailoverEvent =
  /** This instance, as leader, has queued the items of crashed instances. */
  | { readonly kind: 'orphaned'; readonly jobName: JobName; readonly items: readonly number[] }
  /**
   * Runs of crashed instances were cut short and are not repeated: failover is off, there is no such item any more, or
   * they were cancelled or have outlived `timeoutMs`. Reported by the leader. `fireTime` in milliseconds since the
   * epoch.
   */
  | {
      readonly kind: 'cut-short';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly fireTime: number;
      readonly reason: CutShortReason;
    }
  /** The failover queue has no place for these items: their runs ended as aborted, and are not repeated. */
  | { readonly kind: 'failover-overflow'; readonly jobName: JobName; readonly items: readonly number[] }
  /**
   * This instance has removed entries of a disabled job or, as leader, of a job without failover or of items beyond the
   * total.
   */
  | { readonly kind: 'failover-purged'; readonly jobName: JobName; readonly items: readonly number[] }
  /**
   * The process or thread that worked on an item has died. `queue`: the item is failed over. `exhausted`: its target
   * has lost too many executors and is given up. `hold`: it may still run, so the item stays here.
   */
  | {
      readonly kind: 'executor-died';
      readonly trigger: Trigger;
      readonly item: number;
      readonly state: ExecutorDeathState;
      readonly requeue: Requeue;
    }
  | {
      readonly kind: 'claimed';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly source: ExecutionSource;
    };

/** A task that runs an item. */
export interface TaskOfItem {
  /** Fire time of its target, in milliseconds since the epoch. */
  readonly fireTime: number;
  /** Number of the launch for its target, from 1. */
  readonly launch: number;
  /** Its name in the backend. */
  readonly uid: string;
  /** Its machine, if known. */
  readonly node: string | undefined;
}

/** Events of the tasks that run the items of jobs. */
export type TaskEvent =
  /** A task was created for an item, and does nothing before it is opened. */
  | {
      readonly kind: 'task-launched';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
    }
  /** This instance follows a task from now on that another scheduler has launched. */
  | {
      readonly kind: 'task-adopted';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
    }
  /** The backend has no room for the task yet. `detail`: the backend's words. */
  | {
      readonly kind: 'task-queued';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
      readonly detail: string | undefined;
    }
  /**
   * The task is in another state now, in ElasticJob-Cloud's words. `startedAfterMs`: for the first RUNNING of a task
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
  /** The task is settled, and gone. `tail`: the end of its output. */
  | {
      readonly kind: 'task-released';
      readonly jobName: JobName;
      readonly item: number;
      readonly task: TaskOfItem;
      readonly tail: string | undefined;
    };
