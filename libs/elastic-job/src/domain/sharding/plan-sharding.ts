import { inJavaOrder, type JobInstance, type JobName } from '../cluster/index.js';
import { InvalidShardingError } from './sharding.errors.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * The owner of each item, as an instance id, items ascending; empty if there are no instances.
 *
 * The order of `instances` does not matter: as in Java, the strategy gets them in descending order of their ids.
 * @param current the present owners, for strategies that avoid moves
 * @throws {InvalidShardingError} if the strategy did not give every item to exactly one of the instances.
 */
export function planSharding(
  strategy: ShardingStrategy,
  instances: readonly JobInstance[],
  jobName: JobName,
  shardingTotalCount: number,
  current: ReadonlyMap<number, string> = new Map(),
): ReadonlyMap<number, string> {
  const byId = new Map(instances.map((instance) => [instance.jobInstanceId, instance]));
  if (byId.size === 0) return new Map();

  const ordered = inJavaOrder(byId.keys()).map((id) => byId.get(id)!);
  const owners = new Map<number, string>();
  const refuse = (item: number, fault: string) => new InvalidShardingError(strategy.type, jobName, item, fault);

  for (const [{ jobInstanceId }, items] of strategy.shard(ordered, jobName, shardingTotalCount, current)) {
    for (const item of items) {
      if (!byId.has(jobInstanceId)) throw refuse(item, `gave an item to "${jobInstanceId}", which is not an instance`);
      if (!isItem(item, shardingTotalCount))
        throw refuse(item, `gave away an item outside 0..${shardingTotalCount - 1}`);
      if (owners.has(item)) throw refuse(item, `gave an item twice, to "${owners.get(item)}" and "${jobInstanceId}"`);
      owners.set(item, jobInstanceId);
    }
  }
  return new Map(
    Array.from({ length: shardingTotalCount }, (_, item) => {
      const owner = owners.get(item);
      if (owner === undefined) throw refuse(item, 'gave an item to no instance');
      return [item, owner];
    }),
  );
}

function isItem(item: number, shardingTotalCount: number): boolean {
  return Number.isInteger(item) && item >= 0 && item < shardingTotalCount;
}
