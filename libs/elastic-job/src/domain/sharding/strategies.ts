import type { JobInstance, JobName } from '../cluster/index.js';

// The built-in strategies: first those of Java, then those that Java lacks, and what each of them is made of.

/**
 * Assigns items to instances. Must be pure: the same arguments give the same answer, on any leader.
 *
 * Every item from 0 to `shardingTotalCount` - 1 goes to exactly one of the given instances; an instance may get none.
 */
export interface ShardingStrategy {
  /** Name of the strategy in options and in the registry. */
  readonly type: string;
  /**
   * Assigns the items.
   * @param instances never empty, in Java's order: descending by instance id
   * @param current the instance id of each item's present owner, who may be gone; for strategies that avoid moves
   * @returns the items of each instance; instances that get none may be left out
   */
  shard(
    instances: readonly JobInstance[],
    jobName: JobName,
    shardingTotalCount: number,
    current?: ReadonlyMap<number, string>,
  ): ReadonlyMap<JobInstance, readonly number[]>;
}

function strategy(type: string, shard: ShardingStrategy['shard']): ShardingStrategy {
  return Object.freeze({ type, shard });
}

/**
 * Gives equal series of items to the instances in their order: of 8 items, three instances get 0-1, 2-3 and 4-5. The
 * remaining items go to the first instances, one each: 6 and 7.
 * @see ElasticJob, `AverageAllocationJobShardingStrategy`
 */
export const avgAllocation = strategy('AVG_ALLOCATION', (instances, _jobName, shardingTotalCount) =>
  allocateEvenly(instances, shardingTotalCount),
);

/** The allocation of ElasticJob's three strategies, which differ in the order of the instances. */
function allocateEvenly(
  instances: readonly JobInstance[],
  shardingTotalCount: number,
): ReadonlyMap<JobInstance, readonly number[]> {
  const each = Math.floor(shardingTotalCount / instances.length);
  const firstLeftOver = each * instances.length;
  return new Map(
    instances.map((instance, k) => {
      const items = Array.from({ length: each }, (_, i) => k * each + i);
      if (firstLeftOver + k < shardingTotalCount) items.push(firstLeftOver + k);
      return [instance, items];
    }),
  );
}

/**
 * The average allocation, over the reversed instances if the hash of the job's name is even: so the work of many jobs
 * with few items does not always go to the same instance.
 * @see ElasticJob, `OdevitySortByNameJobShardingStrategy`
 */
export const odevity = strategy('ODEVITY', (instances, jobName, shardingTotalCount) =>
  allocateEvenly(javaHashCode(jobName) % 2 === 0 ? instances.toReversed() : instances, shardingTotalCount),
);

/**
 * The average allocation, over the instances rotated by the hash of the job's name: each job starts at another
 * instance.
 *
 * For a hash of -2^31 Java fails unless the number of instances is a power of two, because `Math.abs` of that int is
 * negative. Here the absolute value is 2^31, which agrees with Java wherever Java has an answer.
 * @see ElasticJob, `RotateServerByNameJobShardingStrategy`
 */
export const roundRobin = strategy('ROUND_ROBIN', (instances, jobName, shardingTotalCount) => {
  const offset = Math.abs(javaHashCode(jobName)) % instances.length;
  return allocateEvenly([...instances.slice(offset), ...instances.slice(0, offset)], shardingTotalCount);
});

/**
 * For jobs of one item, which goes round: after each run the next server gets it. The strategy itself only decides
 * while no next server is named: at first, and when the instance that named it is gone.
 *
 * Java adds its clock's milliseconds to the hash of the job's name. A pure strategy has no clock, and the name alone
 * spreads the jobs over the instances as well.
 * @see ElasticJob 3.0.5, `SingleShardingBalanceJobShardingStrategy`
 */
export const singleShardingBalance = strategy('SINGLE_SHARDING_BALANCE', (...given) => roundRobin.shard(...given));

/**
 * Java's hash of a text, a signed 32-bit integer. Two of ElasticJob's strategies start from the hash of the job's name.
 * @see java.lang.String#hashCode
 */
export function javaHashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * The default: as many items for each instance, and what is left over for those that rank first for the job. So many
 * jobs of few items are spread over all instances, by chance. Items move only as far as these numbers ask: after a
 * crash only those of the dead instance.
 *
 * Java lacks it, and plans by its average allocation instead. @see strategyBesideJava
 */
export const balanced = strategy('BALANCED', (instances, jobName, shardingTotalCount, current = new Map()) =>
  shareItems(rankInstances(instances, jobName), shardingTotalCount, current),
);

/**
 * Balances within one item and moves as few items as that allows: an item stays with its owner unless the owner is gone
 * or has more than its share.
 *
 * Every balanced assignment gives each of n instances `floor(total / n)` items, and one more to `total mod n` of them.
 * Here these are instances that have more already, as far as there are such, since no balanced assignment keeps more
 * items. Of equal ones those come first that rank first for the job.
 */
export const sticky = strategy('STICKY', (instances, jobName, shardingTotalCount, current = new Map()) => {
  const each = Math.floor(shardingTotalCount / instances.length);
  const owned = ownedItems(shardingTotalCount, current);
  const hasMore = ({ jobInstanceId }: JobInstance) => (owned.get(jobInstanceId)?.length ?? 0) > each;
  const ranked = rankInstances(instances, jobName);
  const inOrder = [...ranked.filter(hasMore), ...ranked.filter((instance) => !hasMore(instance))];
  return shareItems(inOrder, shardingTotalCount, current);
});

/**
 * The instances in their rank for a job, the first one first. Each job ranks the same instances in another order, so
 * that the items that do not divide evenly go to other instances for each job. An instance that joins or leaves changes
 * no order among the others.
 *
 * The rank rises with an unsigned 32-bit number: Java's hash of the instance id, a slash and the job's name, mixed by
 * the finalizer of MurmurHash3. Of equal numbers the instance comes first that Java's order has first. Every release
 * has to rank alike, since each of them may lead a job: a changed rule moves items whenever the leader changes.
 * @param instances in Java's order
 * @see MurmurHash3 by Austin Appleby, `fmix32`
 */
function rankInstances(instances: readonly JobInstance[], jobName: JobName): readonly JobInstance[] {
  const ranks = new Map(
    instances.map((instance) => [instance, mixed(javaHashCode(`${instance.jobInstanceId}/${jobName}`))]),
  );
  return instances.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!);
}

/** Spreads hashes that differ little, as those of numbered names, evenly over all numbers of 32 bits. */
function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * Gives each of n instances `floor(total / n)` items, and one more to the first `total mod n` of them. Items move only
 * as far as these numbers ask: an instance keeps those of its items that have the lowest numbers. The others go, in
 * ascending order, to the instance that then has least of those that lack one; of equal ones to the first.
 * @param current the instance id of each item's present owner, who may be gone
 */
function shareItems(
  instances: readonly JobInstance[],
  shardingTotalCount: number,
  current: ReadonlyMap<number, string>,
): ReadonlyMap<JobInstance, readonly number[]> {
  const each = Math.floor(shardingTotalCount / instances.length);
  const extra = shardingTotalCount % instances.length;
  const owned = ownedItems(shardingTotalCount, current);
  const shares = instances.map((instance, index) => {
    const due = index < extra ? each + 1 : each;
    return { instance, due, items: (owned.get(instance.jobInstanceId) ?? []).slice(0, due) };
  });
  const staying = new Set(shares.flatMap(({ items }) => items));
  const moving = itemsUpTo(shardingTotalCount).filter((item) => !staying.has(item));
  spread(shares, moving);
  return new Map(shares.map(({ instance, items }) => [instance, items]));
}

/** Items by the instance id of their owner, ascending. */
function ownedItems(
  shardingTotalCount: number,
  current: ReadonlyMap<number, string>,
): ReadonlyMap<string, readonly number[]> {
  const owned = new Map<string, number[]>();
  for (const item of itemsUpTo(shardingTotalCount)) {
    const owner = current.get(item);
    if (owner === undefined) continue;
    const list = owned.get(owner);
    if (list === undefined) owned.set(owner, [item]);
    else list.push(item);
  }
  return owned;
}

interface Share {
  readonly due: number;
  readonly items: number[];
}

/** One pass for all shares that are smallest together. They lack no more items than are moving. */
function spread(shares: readonly Share[], moving: readonly number[]): void {
  let next = 0;
  let lacking = shares;
  do {
    lacking = lacking.filter(({ due, items }) => items.length < due);
    const least = lacking.reduce((smallest, { items }) => Math.min(smallest, items.length), Infinity);
    for (const { items } of lacking) if (items.length === least) items.push(moving[next++]!);
  } while (lacking.length > 0);
}

function itemsUpTo(shardingTotalCount: number): number[] {
  return Array.from({ length: shardingTotalCount }, (_, item) => item);
}
