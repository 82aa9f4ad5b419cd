import type { JobInstance } from '../cluster/index.js';

/**
 * Gives each of n instances `floor(total / n)` items, and one more to the first `total mod n` of them. Items move only
 * as far as these numbers ask: an instance keeps those of its items that have the lowest numbers. The others go, in
 * ascending order, to the instance that then has least of those that lack one; of equal ones to the first.
 * @param current the instance id of each item's present owner, who may be gone
 */
export function shareItems(
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
export function ownedItems(
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

/** One pass for all shares that are smallest together. */
function spread(shares: readonly Share[], moving: readonly number[]): void {
  let next = 0;
  let lacking = shares;
  while (next < moving.length && lacking.length > 0) {
    lacking = lacking.filter(({ due, items }) => items.length < due);
    const least = lacking.reduce((smallest, { items }) => Math.min(smallest, items.length), Infinity);
    for (const { items } of lacking) if (next < moving.length && items.length === least) items.push(moving[next++]!);
  }
}

function itemsUpTo(shardingTotalCount: number): number[] {
  return Array.from({ length: shardingTotalCount }, (_, item) => item);
}
