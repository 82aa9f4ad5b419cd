import { inDescendingOrder, type JobInstance, type JobName } from '../cluster/index.js';
import { handleRejection, messageOf, readable } from '../thrown.js';
import { ElasticJobError } from '../errors.js';
import type { ShardingStrategy } from './strategies.js';

/**
 * The owner of each item, as an instance id, items ascending; empty if there are no instances.
 *
 * The order of `instances` does not matter: as in Java, the strategy gets them in descending order of their ids.
 * @param current the present owners, for strategies that avoid moves
 * @throws {InvalidShardingError} if the strategy threw, or did not give every item to exactly one of the instances
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

  const ordered = inDescendingOrder(byId.keys()).map((id) => byId.get(id)!);
  const refuse: Refuse = (fault, item, options) =>
    new InvalidShardingError(strategy.type, jobName, item, fault, options);
  const owners = new Map<number, string>();
  for (const [owner, item] of pairsOf(() => strategy.shard(ordered, jobName, shardingTotalCount, current), refuse)) {
    if (!byId.has(owner)) throw refuse(`gave an item to "${owner}", which is not an instance`, item);
    if (!isItem(item, shardingTotalCount)) throw refuse(`gave away an item outside 0..${shardingTotalCount - 1}`, item);
    if (owners.has(item)) throw refuse(`gave an item twice, to "${owners.get(item)}" and "${owner}"`, item);
    owners.set(item, owner);
  }
  return new Map(
    Array.from({ length: shardingTotalCount }, (_, item) => {
      const owner = owners.get(item);
      if (owner === undefined) throw refuse('gave an item to no instance', item);
      return [item, owner];
    }),
  );
}

type Refuse = (fault: string, item?: number, options?: ErrorOptions) => InvalidShardingError;

/** The answer of a strategy, which may be any value, as pairs of instance id and item. */
function pairsOf(shard: () => unknown, refuse: Refuse): [string, number][] {
  const answer = attempt('threw', shard, refuse);
  handleRejection(answer);
  return attempt(
    'returned something that cannot be read',
    () => {
      if (!(answer instanceof Map)) throw new TypeError(`a ${typeof answer} that is no Map of instances to items`);
      return [...answer].flatMap(([instance, items]: [JobInstance, unknown]) => {
        if (!Array.isArray(items)) throw new TypeError('an entry without a list of items');
        return items.map((item: number): [string, number] => [instance.jobInstanceId, item]);
      });
    },
    refuse,
  );
}

function attempt<T>(fault: string, work: () => T, refuse: Refuse): T {
  try {
    return work();
  } catch (thrown) {
    const cause = readable(thrown);
    throw refuse(`${fault}: ${messageOf(cause)}`, undefined, { cause });
  }
}

function isItem(item: number, shardingTotalCount: number): boolean {
  return Number.isInteger(item) && item >= 0 && item < shardingTotalCount;
}

/**
 * A strategy broke its promise: it threw, or an item went to no instance, to two, or to an instance that was not
 * offered. The last plan stays in force, and the strategy is asked again.
 * @remarks Correct the strategy: it must give every item of the job to exactly one of the given instances.
 */
export class InvalidShardingError extends ElasticJobError {
  readonly code = 'INVALID_SHARDING';

  constructor(
    readonly strategy: string,
    readonly jobName: JobName,
    /** The item in question, possibly none of the job's; undefined if it is no single one. */
    readonly item: number | undefined,
    /** The strategy's fault. */
    readonly fault: string,
    options?: ErrorOptions,
  ) {
    const place = item === undefined ? '' : `, item ${String(item)}`;
    super(
      `Sharding strategy "${strategy}" ${fault} (job "${jobName}"${place}); ` +
        'it must give every item of the job to exactly one of the given instances.',
      options,
    );
  }
}
