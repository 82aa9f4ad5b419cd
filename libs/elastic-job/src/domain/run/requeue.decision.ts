import { deathIn } from './executor-death.error.js';
import {
  CancelledError,
  DrainDeadlineError,
  HandedOverError,
  HandlerHungError,
  InstanceRemovedError,
  SuspendedTooLongError,
} from './lease.errors.js';
import type { ShardOutcome } from './shard-outcome.js';
import type { ExecutionSource } from './trigger.js';

/**
 * Decides what happens to an item that has ended without being done.
 * - `none`: nothing, it is done, nobody is to repeat it, or the job has no failover;
 * - `queue`: it waits for failover;
 * - `overflow`: it should wait, but the queue is full;
 * - `exhausted`: its executors have died too often for one target;
 * - `hold`: its executor may run still, so it keeps its mark.
 */
export type Requeue = 'none' | 'queue' | 'overflow' | 'exhausted' | 'hold';

/** Facts that a requeue depends on, beside the outcome. */
export interface RequeueState {
  /** Of the run that has ended. */
  readonly source: ExecutionSource;
  readonly isFailoverOn: boolean;
  /** The deaths of executors that the target has suffered before by their own fault. */
  readonly executorDeaths: number;
  readonly maxExecutorFailovers: number;
  /** The queue has as many entries as it may have. */
  readonly isQueueFull: boolean;
}

/**
 * Of an aborted run, and of one whose executor has died. A target whose executors die again and again by their own
 * fault is poisonous: it is given up, so that it does not go round for ever. A run that was handed over waits in any
 * case: its task goes on.
 * @see ElasticJob-Cloud, `SchedulerEngine.statusUpdate`. There TASK_KILLED, which only the scheduler itself can bring
 *   about, is not failed over; here a run that this instance has told to stop is aborted, whatever its executor died
 *   of, so KILLED is what others have done to it.
 */
export function decideRequeue(outcome: ShardOutcome, state: RequeueState): Requeue {
  if (outcome.kind === 'aborted' && outcome.reason instanceof HandedOverError) return 'queue';
  const death = deathIn(outcome);
  if (death?.state === 'UNREACHABLE') return 'hold';
  if (!state.isFailoverOn || (death === undefined && !isRepeatedElsewhere(outcome, state.source))) return 'none';
  if (death?.isInnocent === false && state.executorDeaths >= state.maxExecutorFailovers) return 'exhausted';
  return state.isQueueFull ? 'overflow' : 'queue';
}

// A run that was cut short for its instance's sake. What an operator has cancelled nobody repeats. A hung handler's
// item is passed on once: if its rescue hangs as well, it is the handler that hangs and not the instance, and it would
// go round until it has blocked all of them.
function isRepeatedElsewhere(outcome: ShardOutcome, source: ExecutionSource): boolean {
  if (outcome.kind !== 'aborted') return false;
  const { reason } = outcome;
  if (reason instanceof HandlerHungError) return source !== 'FAILOVER' && !(reason.cause instanceof CancelledError);
  return (
    reason instanceof DrainDeadlineError ||
    reason instanceof InstanceRemovedError ||
    reason instanceof SuspendedTooLongError
  );
}
