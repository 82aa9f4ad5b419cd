import { describe, expect, it } from 'vitest';
import { isChosen, NOTHING, placeAfter, reasonOf, stripOf, withCell, withFireTime } from './strip-layout.js';

const T1 = '2026-11-28T02:00:00.000Z';
const T2 = '2026-11-29T02:00:00.000Z';
const T3 = '2026-11-30T02:00:00.000Z';

/** @param items letters of the API */
const columnOf = (items: string, fireTime = T1) => ({ fireTime, expected: true, items, reasons: [] });
const barOf = (items: string) => stripOf([columnOf(items)], [], 0).columns[0]?.bar;

describe('the bar of a fire time', () => {
  it('tells what an operator has to know first', () => {
    expect(barOf('dd')).toBe('done');
    expect(barOf('df')).toBe('part');
    expect(barOf('ff')).toBe('failed');
    expect(barOf('mm')).toBe('missed');
    expect(barOf('dm')).toBe('part');
    expect(barOf('od')).toBe('running');
    expect(barOf('of')).toBe('part');
    expect(barOf('xx')).toBe('disabled');
    expect(barOf('xd')).toBe('done');
    expect(barOf('dr')).toBe('done');
  });

  it('is unknown only if nothing is known, and is never done then', () => {
    expect(barOf('uu')).toBe('unknown');
    expect(barOf('ud')).toBe('done');
    expect(barOf('uf')).toBe('failed');
    expect(barOf('ux')).toBe('disabled');
    expect(barOf('')).toBe('unknown');
  });

  it('says how many of the items have failed or were missed', () => {
    expect(stripOf([columnOf('fmdd')], [], 0).columns[0]?.share).toBe(0.5);
  });
});

describe('the strip', () => {
  it('has the past, then what is to come, and a row for each item of any time', () => {
    const strip = stripOf([columnOf('d', T1), columnOf('dr', T2)], [T2, T3], 1);
    expect(strip.columns.map(({ fireTime, isNext }) => [fireTime, isNext])).toEqual([
      [T1, false],
      [T2, false],
      [T3, true],
    ]);
    expect(strip.items).toBe(2);
  });

  it('says why an item was missed, and takes a letter of a later release for unknown', () => {
    const reasons = [{ from: 1, to: 2, reason: 'skipped' }];
    const [column] = stripOf([{ ...columnOf('dmmz'), reasons }], [], 0).columns;
    expect(column?.fates).toEqual(['done', 'missed', 'missed', 'unknown']);
    expect([0, 1, 2, 3].map((item) => reasonOf(column!, item))).toEqual([undefined, 'skipped', 'skipped', undefined]);
  });

  it('is moved in by keys, and ends at its edges', () => {
    const size = { columns: 3, items: 2 };
    expect(placeAfter({ column: 0, item: 0 }, 'ArrowLeft', size)).toEqual({ column: 0, item: 0 });
    expect(placeAfter({ column: 0, item: 0 }, 'End', size)).toEqual({ column: 2, item: 0 });
    expect(placeAfter({ column: 2, item: 0 }, 'PageDown', size)).toEqual({ column: 2, item: 1 });
    expect(placeAfter({ column: 2, item: 0 }, 'a', size)).toBeUndefined();
  });
});

describe('a selection', () => {
  it('has all of its items at all of its fire times', () => {
    const two = withCell(withCell(NOTHING, 5, T2), 3, T1);
    expect(two).toEqual({ items: [3, 5], fireTimes: [T1, T2] });
    expect(isChosen(two, 5, T1)).toBe(true);
  });

  it('loses an item, then a fire time, then all', () => {
    const two = { items: [3, 5], fireTimes: [T1, T2] };
    const one = withCell(two, 3, T1);
    expect(one).toEqual({ items: [5], fireTimes: [T1, T2] });
    expect(withCell(one, 5, T1)).toEqual({ items: [5], fireTimes: [T2] });
    expect(withCell({ items: [5], fireTimes: [T2] }, 5, T2)).toEqual(NOTHING);
  });

  it('takes all items with the first fire time, and the same ones with the others', () => {
    const all = withFireTime(NOTHING, T1, [0, 1]);
    expect(all).toEqual({ items: [0, 1], fireTimes: [T1] });
    expect(withFireTime({ items: [1], fireTimes: [T1] }, T2, [0, 1])).toEqual({ items: [1], fireTimes: [T1, T2] });
    expect(withFireTime(all, T1, [0, 1])).toEqual(NOTHING);
    expect(withFireTime(NOTHING, T1, [])).toEqual(NOTHING);
  });
});
