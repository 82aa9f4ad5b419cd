import { expect, it } from 'vitest';
import { SparseMap, SparseSet } from './sparse.js';

it('is a map, empty, filled and empty again', () => {
  const map = new SparseMap<number, string>();
  const seen = [contents(map)];
  seen.push(contents(map.set(1, 'a').set(2, 'b').set(1, 'c')));
  expect([map.delete(3), map.delete(1)]).toEqual([false, true]);
  seen.push(contents(map));
  expect(map.delete(2)).toBe(true);
  seen.push(contents(map), contents(map.set(4, 'd')));
  map.clear();
  seen.push(contents(map));
  expect(seen).toEqual([[], [[1, 'c'], [2, 'b']], [[2, 'b']], [], [[4, 'd']], []]); // prettier-ignore
});

it('is a set, empty, filled and empty again', () => {
  const set = new SparseSet<number>();
  const seen = [[...set]];
  seen.push([...set.add(1).add(2).add(1)]);
  expect([set.delete(3), set.delete(1), set.has(1), set.has(2), set.size]).toEqual([false, true, false, true, 1]);
  seen.push([...set]);
  expect([set.delete(2), set.has(2), set.size]).toEqual([true, false, 0]);
  seen.push([...set], [...set.add(4)]);
  set.clear();
  seen.push([...set]);
  expect(seen).toEqual([[], [1, 2], [2], [], [4], []]);
});

it('goes on over what is left when all is deleted meanwhile', () => {
  const map = new SparseMap<number, string>().set(1, 'a').set(2, 'b');
  for (const key of map.keys()) map.delete(key);
  const set = new SparseSet<number>().add(1).add(2);
  for (const member of set) set.delete(member);
  expect([map.size, set.size]).toEqual([0, 0]);
});

/** The entries, by each way of reading them, all of which must agree. */
function contents(map: SparseMap<number, string>): readonly (readonly [number, string])[] {
  const entries = [...map];
  const told: [number, string][] = [];
  map.forEach((value, key, of) => told.push([key, of.get(key) === value ? value : 'another']));
  expect([...map.entries()]).toEqual(entries);
  expect([...map.keys()].map((key, n) => [key, [...map.values()][n]])).toEqual(entries);
  expect(entries.map(([key]) => [key, map.get(key)])).toEqual(entries);
  expect([told, map.size, map.has(1)]).toEqual([entries, entries.length, entries.some(([key]) => key === 1)]);
  return entries;
}
