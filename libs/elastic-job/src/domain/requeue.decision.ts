import {
  CancelledError,
  DrainDeadlineError,
  HandlerHungError,
  InstanceRemovedError,
  SuspendedTooLongError,
} from './lease.errors.js';
import type { ShardOutcome } from './shard-outcome.js';
import type { ExecutionSource } from './trigger.js';

/**
 * Whether a run that has ended so is owed to another instance: it was cut short for its instance's sake. What an operator
 * has cancelled is owed to nobody. A hung handler's item is passed on once: if its rescue hangs as well, it is the handler
 * that hangs and not the instance, and it would go round until it has blocked all of them.
 */
export function isOwedElsewhere(outcome: ShardOutcome, source: ExecutionSource): boolean {
  if (outcome.kind !== 'aborted') return false;
  const { reason } = outcome;
  if (reason instanceof HandlerHungError) return source !== 'FAILOVER' && !(reason.cause instanceof CancelledError);
  return (
    reason instanceof DrainDeadlineError ||
    reason instanceof InstanceRemovedError ||
    reason instanceof SuspendedTooLongError
  );
}
