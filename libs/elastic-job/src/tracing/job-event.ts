import type {
  ExecutionSource,
  ExecutorDeathState,
  HolderMark,
  JobName,
  MissedReason,
  Requeue,
  SettledOutcome,
  Trigger,
  UnmetReason,
} from '../domain/index.js';
import type { TaskEvent } from './task-event.js';

/** What happens to jobs in this process. Heard by logs, histories and metrics; nobody waits for a listener. */
export type JobEvent =
  /** `timeoutMs`: how long the registry keeps what a crashed process has left, in milliseconds. */
  | {
      readonly kind: 'session';
      readonly state: string;
      readonly sessionId: string | undefined;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'joined'; readonly jobName: JobName; readonly instanceId: string }
  | { readonly kind: 'left'; readonly jobName: JobName; readonly instanceId: string }
  | { readonly kind: 'leader-elected'; readonly jobName: JobName; readonly instanceId: string; readonly term: number }
  /** This instance, leading, has committed a new assignment: item to instance id. */
  | { readonly kind: 'resharded'; readonly jobName: JobName; readonly assignment: ReadonlyMap<number, string> }
  | { readonly kind: 'sharding-timeout'; readonly jobName: JobName; readonly fireTime: number }
  /** An operator wants the job to run now; this instance has taken the request. */
  | { readonly kind: 'trigger-requested'; readonly trigger: Trigger }
  | {
      readonly kind: 'triggered';
      readonly trigger: Trigger;
      readonly taskId: string;
      /** What this instance is to run; none is usual where there are more instances than items. */
      readonly items: readonly number[];
    }
  /** The trigger was not run at all. */
  | { readonly kind: 'skipped'; readonly trigger: Trigger; readonly reason: string }
  | { readonly kind: 'refused'; readonly trigger: Trigger; readonly items: readonly number[]; readonly cause: string }
  /** The items are not free; they are run for an operator's trigger as soon as they are. */
  | { readonly kind: 'postponed'; readonly trigger: Trigger; readonly items: readonly number[] }
  | { readonly kind: 'begun'; readonly trigger: Trigger; readonly taskId: string; readonly items: readonly number[] }
  /**
   * The handler is called for an item; `attempt` is 1 unless it is tried again. `latenessMs`: of the first item of a
   * run, how long ago the run was due; nobody waits for a resident one.
   */
  | {
      readonly kind: 'started';
      readonly trigger: Trigger;
      readonly taskId: string;
      readonly item: number;
      readonly attempt: number;
      readonly latenessMs?: number | undefined;
    }
  /**
   * Runs have begun more than `lateAfterMs` after they were due: `count` of a job. The first is told at once, and those
   * of the following minute together, with the trigger and the lateness of the latest of them.
   */
  | {
      readonly kind: 'late';
      readonly trigger: Trigger;
      readonly latenessMs: number;
      readonly lateAfterMs: number;
      readonly count: number;
    }
  | {
      readonly kind: 'settled';
      readonly trigger: Trigger;
      readonly taskId: string;
      readonly item: number;
      readonly outcome: SettledOutcome;
      /** Since the items were begun, in milliseconds. */
      readonly durationMs: number;
    }
  /** A lease has ended on this instance: every item that was begun is settled. */
  | {
      readonly kind: 'finished';
      readonly trigger: Trigger;
      readonly taskId: string;
      readonly items: readonly number[];
      /** What the items threw, why they were aborted or fenced. Empty: all have succeeded. */
      readonly failures: ReadonlyMap<number, unknown>;
    }
  /**
   * An alarm: a handler has not returned although its signal aborted a while ago, at `since` (milliseconds since the
   * epoch) for that reason. Its item starts nowhere else until it returns, unless it was released. Once for each run.
   */
  | {
      readonly kind: 'hung';
      readonly trigger: Trigger;
      readonly item: number;
      readonly since: number;
      readonly reason: unknown;
      readonly isReleased: boolean;
    }
  | {
      readonly kind: 'misfired';
      readonly jobName: JobName;
      /** Of the items, as if they had been begun. */
      readonly taskId: string;
      readonly items: readonly number[];
    }
  /**
   * Nobody began the items for a fire time, and nobody will. Told once in the cluster, by the instance that found it
   * out: it began them for a later one, or gave the fire time up. The event stands for all fire times of the schedule
   * from `since` to `fireTime`, as after an outage: `count` of them, where 1,000 stands for more.
   */
  | {
      readonly kind: 'missed';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly fireTime: number;
      readonly since: number;
      readonly count: number;
      readonly reason: MissedReason;
    }
  /**
   * Items were begun for a fire time that is yet to come by the registry's clock: a clock ran ahead. Told by the
   * instance that has begun them, as the answer shows, and by the one that finds such a record. Other fire times up to
   * this one may run twice.
   */
  | {
      readonly kind: 'early';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly fireTime: number;
    }
  /**
   * `ahead`: this host's clock is `offsetMs` ahead of the registry's, so fire times wait until they are due by the
   * latter. `behind`: it is so much behind, so fire times come late here. `registry-wrong`: most instances agree that
   * the registry's clock is the wrong one, so their time stands for it; it is `offsetMs` ahead. `trusted`: this host's
   * clock and the registry's agree again.
   */
  | {
      readonly kind: 'clock';
      readonly state: 'ahead' | 'behind' | 'registry-wrong' | 'trusted';
      readonly offsetMs: number;
    }
  /**
   * The registry has not recorded for a while how the runs of these items have ended. That is repeated until the
   * session ends; meanwhile nobody can begin them. Once for each end. `since`, in milliseconds since the epoch, and the
   * latest `error` are of the one that has waited longest.
   */
  | {
      readonly kind: 'settle-delayed';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly since: number;
      readonly error: unknown;
    }
  /**
   * Marks in the name of this instance, which did not run the item, were removed: somebody had made them by hand, or
   * the end of their run was never recorded. `run` is the one that is recorded as aborted with that, if any.
   */
  | {
      readonly kind: 'mark-released';
      readonly jobName: JobName;
      readonly item: number;
      readonly marks: readonly HolderMark[];
      readonly run: string | undefined;
    }
  /** This instance, leading, has queued the items of crashed instances. */
  | { readonly kind: 'orphaned'; readonly jobName: JobName; readonly items: readonly number[] }
  /** The failover queue has no place for these items: their runs ended as aborted and are not repeated. */
  | { readonly kind: 'failover-overflow'; readonly jobName: JobName; readonly items: readonly number[] }
  /** This instance has removed entries of a job that is disabled or, leading, of items beyond its total. */
  | { readonly kind: 'failover-purged'; readonly jobName: JobName; readonly items: readonly number[] }
  /**
   * The process or thread that did an item's work has died. `queue`: the item is failed over; `exhausted`: it has been
   * so often for this target that it is given up; `hold`: it may run still, so the item stays where it is.
   */
  | {
      readonly kind: 'executor-died';
      readonly trigger: Trigger;
      readonly item: number;
      readonly state: ExecutorDeathState;
      readonly requeue: Requeue;
    }
  | TaskEvent
  | {
      readonly kind: 'claimed';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly source: ExecutionSource;
    }
  /** An operator has disabled or enabled this instance's server; undefined: neither, which counts as disabled. */
  | {
      readonly kind: 'server-switched';
      readonly jobName: JobName;
      readonly serverIp: string;
      readonly status: 'ENABLED' | 'DISABLED' | undefined;
    }
  /** Java peers are in the job. If they cannot share some of its settings, this instance begins nothing of it. */
  | {
      readonly kind: 'mixed';
      readonly jobName: JobName;
      readonly peers: readonly string[];
      readonly unshareable: readonly string[];
    }
  /**
   * A job is not started for a fire time, since a run of its parent has an item that did not succeed (`failed`), or
   * that was never begun before a later run was complete (`superseded`). Told once, by the instance that has settled
   * the item.
   */
  | {
      readonly kind: 'dependency-not-met';
      readonly jobName: JobName;
      readonly parent: JobName;
      readonly fireTime: number;
      readonly reason: UnmetReason;
    }
  /** The registry's `config` node and the local options differ, and the node wins: the differences that are new. */
  | { readonly kind: 'configuration-differs'; readonly jobName: JobName; readonly differences: readonly string[] }
  /** A history could not keep up with what happened here, or its store was away: so many of its rows were given up. */
  | {
      readonly kind: 'history-dropped';
      readonly sink: string;
      /** Since the last such event of this sink. */
      readonly count: number;
    }
  /** A handler has failed; its item is tried again after `delayMs` milliseconds. `attempt` is the one that comes. */
  | {
      readonly kind: 'retrying';
      readonly trigger: Trigger;
      readonly item: number;
      readonly attempt: number;
      readonly error: unknown;
      readonly delayMs: number;
    }
  /** A failure could not be handed to the job's error handler of that type; the job goes on. */
  | {
      readonly kind: 'error-handler-failed';
      readonly jobName: JobName;
      readonly type: string;
      readonly error: unknown;
    }
  /** Something that no job has caused, or no single one, has no job name. */
  | { readonly kind: 'warning'; readonly jobName: JobName | undefined; readonly message: string }
  | {
      readonly kind: 'error';
      readonly jobName: JobName | undefined;
      readonly message: string;
      readonly error: unknown;
    };

export type JobEventListener = (event: JobEvent) => void;
