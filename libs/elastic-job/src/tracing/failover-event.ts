import type {
  CutShortReason,
  ExecutionSource,
  ExecutorDeathState,
  JobName,
  Requeue,
  Trigger,
} from '../domain/index.js';

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
