import type { ExecutionLease } from '../coordination/index.js';
import {
  formatTaskId,
  parseShardingItemParameters,
  type JobConfiguration,
  type ShardingContext,
  type Trigger,
  triggerIdOf,
} from '../domain/index.js';

export type ContextOf = (item: number) => ShardingContext;

/** Makes the contexts of a lease's items: frozen, and with nothing mutable that two of them would share. */
export function contextsOf(lease: ExecutionLease, configuration: JobConfiguration, tokenEpoch: number): ContextOf {
  const { jobName, trigger } = lease;
  const parameters = parseShardingItemParameters(configuration.shardingItemParameters);
  const shared = {
    jobName,
    taskId: taskIdOf(lease),
    jobParameter: configuration.jobParameter,
    shardingTotalCount: configuration.shardingTotalCount,
    source: trigger.source,
    trigger: askedBy(trigger),
    attempt: 1,
    tokenEpoch,
  };
  return (item) =>
    Object.freeze({
      ...shared,
      shardingItem: item,
      shardingParameter: parameters.get(item),
      fireTime: new Date(trigger.fireTime),
      signal: lease.signalOf(item),
      token: lease.token(item),
      assertHeld: () => lease.assertHeld(item),
    });
}

/** The task id of everything that runs under the lease. */
export function taskIdOf({ jobName, items, holder }: ExecutionLease): string {
  return formatTaskId(jobName, items, holder);
}

function askedBy({ origin, parameters }: Trigger): ShardingContext['trigger'] {
  const id = triggerIdOf(origin);
  return id === undefined ? 'schedule' : Object.freeze({ id, parameters });
}
