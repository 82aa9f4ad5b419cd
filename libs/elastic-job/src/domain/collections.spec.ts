import { describe, expect, it } from 'vitest';
import { Batch, countWhile, Listeners, SparseMap, SparseSet } from './collections.js';

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
  expect([set.has(4), set.has(5), set.delete(4), set.has(4), set.size]).toEqual([true, false, true, false, 0]);
  set.add(5);
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
  expect(map.toMap()).toEqual(new Map(entries));
  expect([told, map.size, map.has(1)]).toEqual([entries, entries.length, entries.some(([key]) => key === 1)]);
  return entries;
}

describe('a batch', () => {
  it('begins anew after all members are taken, and leaves the taken ones as they are', () => {
    const batch = new Batch<string>();
    expect([batch.add('a'), batch.add('b')]).toEqual([1, 2]);
    const taken = batch.take();
    expect(batch.add('c')).toBe(1);
    expect(taken).toEqual(['a', 'b']);
    expect(batch.list).toEqual(['c']);
  });

  it.each([
    [0, '', 'abc'],
    [2, 'ab', 'c'],
    [3, 'abc', ''],
    [4, 'abc', ''],
  ])('with three members gives the first ones to a caller that takes %i', (count, taken, left) => {
    const batch = new Batch<string>();
    for (const one of 'abc') batch.add(one);
    expect(batch.take(count).join('')).toBe(taken);
    expect(batch.list.join('')).toBe(left);
    expect(batch.size).toBe(left.length);
  });

  it('gives nothing if it has no members', () => {
    expect(new Batch<string>().take()).toEqual([]);
  });
});

describe('listeners that come and go', () => {
  const heard = (listeners: Listeners<string>): string => {
    let all = '';
    listeners.forEach((one) => (all += one));
    return all;
  };

  it.each([
    [[], 'abc'],
    [['a'], 'bc'],
    [['b'], 'ac'],
    [['c'], 'ab'],
    [['c', 'a'], 'b'],
    [['b', 'a', 'c'], ''],
  ])('are called in their order after %j have been removed', (removed, left) => {
    const listeners = new Listeners<string>();
    const offs = new Map(['a', 'b', 'c'].map((one) => [one, listeners.add(one)]));
    for (const one of removed) offs.get(one)!();
    expect(heard(listeners)).toBe(left);
    listeners.add('d');
    expect(heard(listeners)).toBe(`${left}d`);
  });

  it('stay if an earlier one is removed a second time', () => {
    const listeners = new Listeners<string>();
    const off = listeners.add('a');
    off();
    listeners.add('b');
    off();
    expect(heard(listeners)).toBe('b');
  });

  it('are not called in the same round if another one removes or adds them', () => {
    const listeners = new Listeners<() => void>();
    const called: string[] = [];
    listeners.add(() => {
      called.push('first');
      offSecond();
      listeners.add(() => called.push('third'));
    });
    const offSecond = listeners.add(() => called.push('second'));
    listeners.forEach((one) => one());
    expect(called).toEqual(['first']);
    listeners.forEach((one) => one());
    expect(called).toEqual(['first', 'first', 'third']);
  });
});

it.each([
  [[], 0],
  [[1], 1],
  [[5], 0],
  [[1, 2, 3], 3],
  [[1, 2, 3, 4, 5], 3],
  [[3, 3, 4, 4, 4, 9], 2],
])('counts the first members of %j that are below 4: %i', (list, count) => {
  expect(countWhile(list, (member) => member < 4)).toBe(count);
});
