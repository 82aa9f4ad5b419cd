import { describe, expect, it } from 'vitest';
import {
  createShardingStrategy,
  type JobInstance,
  planSharding,
  serverIpOf,
} from '../../../libs/elastic-job/src/domain/index.js';
import { SeededRandom } from '../schedule/random-cron.js';

type Owners = ReadonlyMap<number, string>;

const sticky = createShardingStrategy('STICKY');
const SEED = 20_261_121;
const ROUNDS = 2_000;

describe('STICKY', () => {
  it('moves no more items than any other balanced assignment would (few instances and items)', () => {
    for (const step of history({ mostInstances: 4, mostItems: 6 })) {
      expect({ ...step, moves: moves(step) }).toEqual({ ...step, moves: leastMoves(step) });
    }
  });

  it('gives every item an owner, balanced, and moves none without need (many items)', () => {
    for (const step of history({ mostInstances: 30, mostItems: 300 })) {
      const loads = step.ids.map((id) => countOf(step.after, id));
      expect(step.after.size).toBe(step.total);
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
      expect({ ...step, moves: moves(step) }).toEqual({ ...step, moves: dueMoves(step) });
    }
  });

  it('gives the same plan for instances in any order', () => {
    for (const { ids, total, before, after } of history({ mostInstances: 8, mostItems: 40 })) {
      expect(plan(ids.toReversed(), total, before)).toEqual(after);
    }
  });
});

interface Step {
  readonly ids: readonly string[];
  readonly total: number;
  readonly before: Owners;
  readonly after: Owners;
}

/** Instances that join and leave, and a total that changes. Each plan is made from the one before. */
function* history({ mostInstances, mostItems }: { mostInstances: number; mostItems: number }): Iterable<Step> {
  const random = new SeededRandom(SEED);
  let before: Owners = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    const pool = Array.from({ length: 2 * mostInstances }, (_, i) => `10.0.0.${i}@-@${i}`);
    const present = new Set(before.values());
    const kept = pool.filter((id) => present.has(id) && random.whole(0, 9) > 0);
    const joined = pool.filter((id) => !present.has(id) && random.whole(0, 2 * mostInstances) === 0);
    const ids = [...kept, ...joined].slice(0, mostInstances);
    if (ids.length === 0) ids.push(random.pick(pool));
    const total = random.whole(0, 4) === 0 || before.size === 0 ? random.whole(1, mostItems) : before.size;
    const after = plan(ids, total, before);
    yield { ids, total, before, after };
    before = after;
  }
}

function plan(ids: readonly string[], total: number, current: Owners): Owners {
  const instances = ids.map((jobInstanceId): JobInstance => ({ jobInstanceId, serverIp: serverIpOf(jobInstanceId) }));
  return planSharding(sticky, instances, 'settle-orders', total, current);
}

/** The number of items with another owner than before, without those beyond the new total. */
function moves({ before, after }: Step): number {
  return [...before].filter(([item, owner]) => after.has(item) && after.get(item) !== owner).length;
}

/** The fewest moves of all balanced assignments, found by trying all of them. */
function leastMoves({ ids, total, before }: Step): number {
  let least = Infinity;
  const each = Math.floor(total / ids.length);
  const loads = new Map(ids.map((id) => [id, 0]));
  const assign = (item: number, moved: number): void => {
    if (moved >= least) return;
    if (item === total) {
      if ([...loads.values()].every((load) => load === each || load === each + 1)) least = moved;
      return;
    }
    for (const id of ids) {
      const load = loads.get(id)!;
      loads.set(id, load + 1);
      if (load <= each) assign(item + 1, moved + (before.has(item) && before.get(item) !== id ? 1 : 0));
      loads.set(id, load);
    }
  };
  assign(0, 0);
  return least;
}

/** The number of items whose owner has left, and of those above an instance's share. */
function dueMoves({ ids, total, before }: Step): number {
  const each = Math.floor(total / ids.length);
  const remaining = new Map([...before].filter(([item]) => item < total));
  const loads = ids.map((id) => countOf(remaining, id));
  const mayStay = loads.reduce((sum, load) => sum + Math.min(load, each), 0);
  const extra = Math.min(total % ids.length, loads.filter((load) => load > each).length);
  return remaining.size - mayStay - extra;
}

function countOf(owners: Owners, id: string): number {
  return [...owners.values()].filter((owner) => owner === id).length;
}
