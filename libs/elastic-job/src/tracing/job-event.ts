import type {
  AwayParent,
  HolderMark,
  ItemMoves,
  JobName,
  MissedReason,
  ReshardingCause,
  SettledOutcome,
  Trigger,
  UnmetReason,
} from '../domain/index.js';
import type { FailoverEvent, RecordedBegin, TaskEvent } from './execution-event.js';

/** Events of jobs in this process, for logs, histories and metrics. Jobs do not wait for listeners. */
export type JobEvent =
  /** `timeoutMs`: how long the registry keeps the nodes of a crashed process, in milliseconds. */
  | {
      readonly kind: 'session';
      readonly state: string;
      readonly sessionId: string | undefined;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'joined'; readonly jobName: JobName; readonly instanceId: string }
  | { readonly kind: 'left'; readonly jobName: JobName; readonly instanceId: string; readonly isSessionLost: boolean }
  | { readonly kind: 'leader-elected'; readonly jobName: JobName; readonly instanceId: string; readonly term: number }
  /** This instance, as leader, has committed a new plan: item to instance id. */
  | {
      readonly kind: 'resharded';
      readonly jobName: JobName;
      readonly assignment: ReadonlyMap<number, string>;
      /** Items whose owner has changed. */
      readonly moves: ItemMoves;
      /** Undefined if no item has moved, as after a request for a plan that changes nothing. */
      readonly cause: ReshardingCause | undefined;
    }
  | { readonly kind: 'sharding-timeout'; readonly jobName: JobName; readonly fireTime: number }
  /** An operator has asked for a run now; this instance has taken the request. */
  | { readonly kind: 'trigger-requested'; readonly trigger: Trigger }
  /** An operator has cancelled the run of this item here: it is told to stop. */
  | { readonly kind: 'cancel-requested'; readonly jobName: JobName; readonly item: number }
  | {
      readonly kind: 'triggered';
      readonly trigger: Trigger;
      readonly taskId: string;
      /** Items that this instance has to run; none is usual if there are more instances than items. */
      readonly items: readonly number[];
    }
  /** The trigger was not run at all. */
  | { readonly kind: 'skipped'; readonly trigger: Trigger; readonly reason: string }
  | { readonly kind: 'refused'; readonly trigger: Trigger; readonly items: readonly number[]; readonly cause: string }
  /** The items are busy; they run for the operator's trigger as soon as they are free. */
  | { readonly kind: 'postponed'; readonly trigger: Trigger; readonly items: readonly number[] }
  | {
      readonly kind: 'begun';
      readonly trigger: Trigger;
      readonly taskId: string;
      readonly items: readonly number[];
      /** By item; undefined without `monitorExecution`, where nothing is recorded. */
      readonly begins?: ReadonlyMap<number, RecordedBegin> | undefined;
    }
  /**
   * The handler is called for an item; `attempt` is 1 unless it is a retry. `latenessMs`: for the first item of a run,
   * the time since the run was due; a resident run is never due.
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
   * Runs of a job have begun more than `lateAfterMs` after they were due: `count` of them. The first is reported at
   * once, and those of the following minute together, with the trigger and the lateness of the latest of them.
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
      /** Time since the items were begun, in milliseconds. */
      readonly durationMs: number;
      /** Undefined without `monitorExecution`. */
      readonly begin?: RecordedBegin | undefined;
    }
  /** A lease has ended on this instance: every item that was begun is settled. */
  | {
      readonly kind: 'finished';
      readonly trigger: Trigger;
      readonly taskId: string;
      readonly items: readonly number[];
      /** Errors of the items, or reasons why they were aborted or fenced. Empty if all have succeeded. */
      readonly failures: ReadonlyMap<number, unknown>;
    }
  /**
   * An alarm: a handler has not returned although its signal aborted a while ago, at `since` (milliseconds since the
   * epoch), for that reason. Its item starts nowhere else until it returns, unless it was released. Once for each run.
   * `listener`: it is a listener of the run, such as `Audit.beforeJobExecuted`; after a run its items are settled.
   */
  | {
      readonly kind: 'hung';
      readonly trigger: Trigger;
      readonly item: number;
      readonly since: number;
      readonly reason: unknown;
      readonly isReleased: boolean;
      readonly listener?: string;
    }
  | {
      readonly kind: 'misfired';
      readonly jobName: JobName;
      /** Task id of the items, as if they had been begun. */
      readonly taskId: string;
      readonly items: readonly number[];
    }
  /**
   * Items were not begun for a fire time, and will not be. Reported once in the cluster, by the instance that began
   * them for a later fire time, or gave the fire time up. The event stands for all fire times of the schedule from
   * `since` to `fireTime`, as after an outage: `count` of them, where 1,000 means 1,000 or more.
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
   * Items were begun for a fire time that is still to come by the registry's clock, because a clock ran ahead. Reported
   * by the instance that has begun them, as the answer shows, and by an instance that finds such a record. Other fire
   * times up to this one may run twice.
   */
  | {
      readonly kind: 'early';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly fireTime: number;
    }
  /**
   * `ahead`: this host's clock is `offsetMs` ahead of the registry's, so fire times wait until they are due by the
   * registry's. `behind`: it is behind by that much, so fire times come late here. `registry-wrong`: most instances
   * agree that the registry's clock is wrong, so their time replaces it; it is `offsetMs` ahead. `trusted`: this host's
   * clock and the registry's agree again.
   */
  | {
      readonly kind: 'clock';
      readonly state: 'ahead' | 'behind' | 'registry-wrong' | 'trusted';
      readonly offsetMs: number;
    }
  /**
   * The ends of these items' runs have not been recorded in the registry for a while. Recording is repeated until the
   * session ends; until then the items cannot be begun. Once for each end. `since`, in milliseconds since the epoch,
   * and the latest `error` belong to the end that has waited longest.
   */
  | {
      readonly kind: 'settle-delayed';
      readonly jobName: JobName;
      readonly items: readonly number[];
      readonly since: number;
      readonly error: unknown;
    }
  /**
   * Marks of this instance were removed from an item that it does not run: they were made by hand, or the end of their
   * run was never recorded. `run` is the run that is recorded as aborted with them, if any.
   */
  | {
      readonly kind: 'mark-released';
      readonly jobName: JobName;
      readonly item: number;
      readonly marks: readonly HolderMark[];
      readonly run: string | undefined;
    }
  | FailoverEvent
  | TaskEvent
  /** An operator has disabled or enabled this instance's server. Undefined: neither, which counts as disabled. */
  | {
      readonly kind: 'server-switched';
      readonly jobName: JobName;
      readonly serverIp: string;
      readonly status: 'ENABLED' | 'DISABLED' | undefined;
    }
  /** Java peers are in the job. If they cannot share some of its settings, this instance begins none of its runs. */
  | {
      readonly kind: 'mixed';
      readonly jobName: JobName;
      readonly peers: readonly string[];
      readonly unshareable: readonly string[];
    }
  /**
   * A job is not started for a fire time, because an item of a parent's run did not succeed (`failed`), or was never
   * begun before a later run was complete (`superseded`). Reported once, by the instance that has settled the item, for
   * at most 100 jobs at once.
   */
  | {
      readonly kind: 'dependency-not-met';
      readonly jobName: JobName;
      readonly parent: JobName;
      readonly fireTime: number;
      readonly reason: UnmetReason;
    }
  /**
   * Jobs after which this one starts do not run, so it is not started: they are missing, or for two minutes no instance
   * has been able to run them. Once by each leader, and again when they change. Empty `parents`: all of them run again.
   */
  | { readonly kind: 'parents-away'; readonly jobName: JobName; readonly parents: readonly AwayParent[] }
  /**
   * The registry's `config` node, which wins, differs from the local options in other settings or values than before,
   * or agrees with them again. At once, and then at most once a minute for each job, with what is true by then.
   */
  | {
      readonly kind: 'configuration-differs';
      readonly jobName: JobName;
      /** True: edited while the job ran here, and followed. False: it differed at the start, or is not all followed. */
      readonly edited: boolean;
      /** The new ones: at most 20, and one text for the rest. */
      readonly differences: readonly string[];
      /** Reported settings that are as in the local options again: at most 20, and one text for the rest. */
      readonly agreed: readonly string[];
      /** Number of settings that differ now. 0: both agree. */
      readonly total: number;
      /** Number of changes since the last event. The event says where they have led, and does not list them. */
      readonly count: number;
      /** True: the registry may set none of them, so the code's values are in force. Else the registry's are. */
      readonly isRefused: boolean;
      /** True: the next start writes the code's settings over the registry's. */
      readonly overwrite: boolean;
    }
  /**
   * The settings in force have changed by an edit of the registry's `config` node. Told by the leader: at once, and
   * then at most once a minute for each job, for all edits since.
   */
  | {
      readonly kind: 'configuration-changed';
      readonly jobName: JobName;
      /** Names of the changed settings, such as `cron` and `props.size`: at most 50. Values are not told. */
      readonly fields: readonly string[];
      /** Instant of the first of the edits by the registry's clock, in milliseconds since the epoch. */
      readonly at: number;
      /** Number of edits. */
      readonly count: number;
    }
  /** A history has dropped rows, the oldest of the instant `since`: its store was slow or away, or refused them. */
  | {
      readonly kind: 'history-dropped';
      readonly sink: string;
      /** Since the last such event of this sink. */
      readonly count: number;
      readonly since?: number | undefined;
    }
  /**
   * A handler has failed; its item is tried again after `delayMs` milliseconds. `attempt` is the number of the next
   * attempt.
   */
  | {
      readonly kind: 'retrying';
      readonly trigger: Trigger;
      readonly item: number;
      readonly attempt: number;
      readonly error: unknown;
      readonly delayMs: number;
    }
  /**
   * Work for jobs had no answer from the registry, `counts` times by job; `''` stands for work of no single job. Fire
   * times among it are caught up on or told as missed, if the job has records. While the session is suspended or lost
   * it is reported each minute and when the registry is back, otherwise at once and then each minute. `error` is the
   * latest.
   */
  | {
      readonly kind: 'unanswered';
      readonly counts: ReadonlyMap<JobName, number>;
      readonly error: unknown;
    }
  /** A failure could not be delivered by the job's error handler of that type; the job goes on. */
  | {
      readonly kind: 'error-handler-failed';
      readonly jobName: JobName;
      readonly type: string;
      readonly error: unknown;
    }
  /** Undefined `jobName`: the cause is no job, or not a single one. */
  | { readonly kind: 'warning'; readonly jobName: JobName | undefined; readonly message: string }
  | {
      readonly kind: 'error';
      readonly jobName: JobName | undefined;
      readonly message: string;
      readonly error: unknown;
    };

export type JobEventListener = (event: JobEvent) => void;
