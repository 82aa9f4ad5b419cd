import {
  deathIn,
  DrainDeadlineError,
  type ExecutionSource,
  HandedOverError,
  HandlerHungError,
  InstanceRemovedError,
  type ShardOutcome,
  SuspendedTooLongError,
} from '../run/index.js';

/**
 * Decides what follows for an item that has ended without success.
 * - `none`: nothing: it is done, it must not be repeated, or the job has no failover;
 * - `queue`: it waits for failover;
 * - `overflow`: it should wait, but the queue is full;
 * - `exhausted`: its executors have died too often for one target;
 * - `hold`: its executor may still run, so it keeps its mark.
 */
export type Requeue = 'none' | 'queue' | 'overflow' | 'exhausted' | 'hold';

/** Facts that decide on a requeue, besides the outcome. */
export interface RequeueState {
  /** Source of the run that has ended. */
  readonly source: ExecutionSource;
  readonly isFailoverOn: boolean;
  /** True if an operator has cancelled the run, be it after another signal. */
  readonly isCancelled: boolean;
  /** Earlier deaths of the target's executors by their own fault. */
  readonly executorDeaths: number;
  readonly maxExecutorFailovers: number;
  /** True if the queue is full. */
  readonly isQueueFull: boolean;
}

/**
 * Decides on an aborted run, and on one whose executor has died. A target whose executors keep dying by their own fault
 * is given up, so that it does not go round for ever. A run that was handed over always waits: its task goes on.
 *
 * A run that this instance has told to stop is aborted, whatever its executor died of, so KILLED means that something
 * else has killed it. In Java, TASK_KILLED comes from the scheduler alone, and is not failed over.
 * @see ElasticJob-Cloud, `SchedulerEngine.statusUpdate`
 */
export function decideRequeue(outcome: ShardOutcome, state: RequeueState): Requeue {
  if (outcome.kind === 'aborted' && outcome.reason instanceof HandedOverError) return 'queue';
  const death = deathIn(outcome);
  if (death?.state === 'UNREACHABLE') return 'hold';
  if (!state.isFailoverOn || state.isCancelled) return 'none';
  if (death === undefined && !isRepeatedElsewhere(outcome, state.source)) return 'none';
  if (death?.isInnocent === false && state.executorDeaths >= state.maxExecutorFailovers) return 'exhausted';
  return state.isQueueFull ? 'overflow' : 'queue';
}

// True for a run that was cut short for its instance's sake. The item of a hung
// handler is passed on once: if it hangs again, the fault is the handler's, and passing it on would block all instances
// in turn.
function isRepeatedElsewhere(outcome: ShardOutcome, source: ExecutionSource): boolean {
  if (outcome.kind !== 'aborted') return false;
  const { reason } = outcome;
  if (reason instanceof HandlerHungError) return source !== 'FAILOVER';
  return (
    reason instanceof DrainDeadlineError ||
    reason instanceof InstanceRemovedError ||
    reason instanceof SuspendedTooLongError
  );
}
