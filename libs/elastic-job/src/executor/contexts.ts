import type { ExecutionLease } from '../coordination/index.js';
import {
  formatTaskId,
  parseShardingItemParameters,
  type JobConfiguration,
  type ShardingContext,
  type Trigger,
  triggerIdOf,
} from '../domain/index.js';

/** @param attempt counted from 1 */
export type ContextOf = (item: number, attempt: number) => ShardingContext;

/** Makes the contexts of a lease's items: frozen, and without any mutable value that two of them share. */
export function contextsOf(lease: ExecutionLease, configuration: JobConfiguration, tokenEpoch: number): ContextOf {
  const { jobName, trigger } = lease;
  const { jobParameter, props, shardingTotalCount } = configuration;
  const parameters = parseShardingItemParameters(configuration.shardingItemParameters);
  const taskId = taskIdOf(lease);
  const asked = askedBy(trigger);
  // Field by field: beside a getter, a spread costs ten times as much as everything else.
  return (item, attempt) =>
    Object.freeze({
      jobName,
      taskId,
      jobParameter,
      shardingTotalCount,
      source: trigger.source,
      trigger: asked,
      tokenEpoch,
      props,
      attempt,
      shardingItem: item,
      shardingParameter: parameters.get(item),
      fireTime: new Date(trigger.fireTime),
      get signal() {
        return lease.signalOf(item);
      },
      token: lease.token(item),
      get checkpoint() {
        return lease.checkpoint(item);
      },
      assertHeld: () => lease.assertHeld(item),
      isMoving: () => lease.isMoving(item),
    });
}

/** The task id of all runs under the lease. */
export function taskIdOf({ jobName, items, holder, taskId }: ExecutionLease): string {
  return taskId ?? formatTaskId(jobName, items, holder);
}

function askedBy({ origin, parameters }: Trigger): ShardingContext['trigger'] {
  const id = triggerIdOf(origin);
  return id === undefined ? 'schedule' : Object.freeze({ id, parameters });
}
