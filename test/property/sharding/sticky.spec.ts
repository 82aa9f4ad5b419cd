import { describe, expect, it } from 'vitest';
import { countOf, historyOf, moves, planOf, type Step } from './support/plan-histories.js';

describe('STICKY', () => {
  it('moves no more items than any other balanced assignment would (few instances and items)', () => {
    for (const step of historyOf('STICKY', { mostInstances: 4, mostItems: 6 })) {
      expect({ ...step, moves: moves(step) }).toEqual({ ...step, moves: leastMoves(step) });
    }
  });

  it('gives every item an owner, balanced, and moves none without need (many items)', () => {
    for (const step of historyOf('STICKY', { mostInstances: 30, mostItems: 300 })) {
      const loads = step.ids.map((id) => countOf(step.after, id));
      expect(step.after.size).toBe(step.total);
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
      expect({ ...step, moves: moves(step) }).toEqual({ ...step, moves: dueMoves(step) });
    }
  });

  it('gives the same plan for instances in any order', () => {
    for (const { ids, total, before, after } of historyOf('STICKY', { mostInstances: 8, mostItems: 40 })) {
      expect(planOf('STICKY', ids.toReversed(), total, before)).toEqual(after);
    }
  });
});

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
