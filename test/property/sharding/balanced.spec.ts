import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../schedule/random-cron.js';
import { idsOf } from './support/deployments.js';
import { countOf, historyOf, moves, type Owners, planOf, type Step } from './support/plan-histories.js';

const SEED = 20_261_129;
const SETS = 1_000;

describe('BALANCED', () => {
  it('gives each instance its due items, and moves no more items than that asks', () => {
    for (const size of [
      { mostInstances: 4, mostItems: 6 },
      { mostInstances: 12, mostItems: 60 },
    ]) {
      for (const step of historyOf('BALANCED', size)) {
        const due = duesOf(step.ids, step.total);
        expect(new Map(step.ids.map((id) => [id, countOf(step.after, id)]))).toEqual(due);
        expect({ ...step, moves: moves(step) }).toEqual({ ...step, moves: dueMoves(step, due) });
      }
    }
  });

  it('gives the same plan for instances and owners in any order, and changes no plan of its own', () => {
    for (const { ids, total, before, after } of historyOf('BALANCED', { mostInstances: 8, mostItems: 40 })) {
      const shuffled = new Map([...before].toReversed());
      expect([...planOf('BALANCED', ids.toReversed(), total, shuffled)]).toEqual([...after]);
      expect(planOf('BALANCED', ids, total, after)).toEqual(after);
    }
  });

  it('moves the items of a dead instance only, and not one between those that live', () => {
    const random = new SeededRandom(SEED);
    for (let set = 0; set < SETS; set += 1) {
      const ids = idsOf(random, random.whole(2, 9));
      const before = planOf('BALANCED', ids, random.whole(1, 30));
      const dead = random.pick(ids);
      const after = planOf(
        'BALANCED',
        ids.filter((id) => id !== dead),
        before.size,
        before,
      );
      expect(moved(before, after)).toEqual([...before].filter(([, owner]) => owner === dead).map(([item]) => item));
    }
  });

  it('moves items only to an instance that joins, and no more than are due to it', () => {
    const random = new SeededRandom(SEED);
    for (let set = 0; set < SETS; set += 1) {
      const [joining, ...ids] = idsOf(random, random.whole(2, 9));
      const before = planOf('BALANCED', ids, random.whole(1, 30));
      const after = planOf('BALANCED', [...ids, joining!], before.size, before);
      expect(moved(before, after).map((item) => after.get(item))).toEqual(
        Array(countOf(after, joining!)).fill(joining),
      );
    }
  });
});

/** The number of items that each instance is due: one more for those that rank first, whom a single item shows. */
function duesOf(ids: readonly string[], total: number): ReadonlyMap<string, number> {
  const each = Math.floor(total / ids.length);
  const ranked: string[] = [];
  while (ranked.length < ids.length) {
    const others = ids.filter((id) => !ranked.includes(id));
    ranked.push(planOf('BALANCED', others, 1).get(0)!);
  }
  return new Map(ids.map((id) => [id, each + (ranked.indexOf(id) < total % ids.length ? 1 : 0)]));
}

/** The number of items whose owner has left or has more than is due to it. */
function dueMoves({ ids, total, before }: Step, due: ReadonlyMap<string, number>): number {
  const remaining = new Map([...before].filter(([item]) => item < total));
  const mayStay = ids.reduce((sum, id) => sum + Math.min(countOf(remaining, id), due.get(id)!), 0);
  return remaining.size - mayStay;
}

function moved(before: Owners, after: Owners): number[] {
  return [...after].filter(([item, owner]) => before.get(item) !== owner).map(([item]) => item);
}
