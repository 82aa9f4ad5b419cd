import { describe, expect, it } from 'vitest';
import { ITEM, memberOf } from './items.for-spec.js';
import { columnWidth, instanceName, mapOf, membersWith, neighbourOf, scrollTo, windowOf } from './map-layout.js';

const MEMBERS = [memberOf('a'), memberOf('b')];

describe('the map of a job', () => {
  it('has a row for each instance, and each item in the row of the one that owns it', () => {
    const map = mapOf(MEMBERS, [
      { ...ITEM, item: 0, owner: 'b' },
      { ...ITEM, item: 1, owner: 'a' },
    ]);
    expect(map.rows.map(({ instance, items }) => [instance, items])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(map.cells.map(({ column, row }) => [column, row])).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it('shows an item where it runs, and that another instance owns it', () => {
    const [cell] = mapOf(MEMBERS, [{ ...ITEM, owner: 'b', holder: 'a', status: 'RUNNING' }]).cells;
    expect(cell).toMatchObject({ row: 0, ownerRow: 1, state: 'running' });
  });

  it('has rows for instances that are gone, and for items that nobody has', () => {
    const { cells, rows } = mapOf(MEMBERS, [
      { ...ITEM, item: 0, owner: 'z', holder: 'dead', status: 'RUNNING' },
      { ...ITEM, item: 1, owner: null },
    ]);
    expect(rows.map(({ instance, member }) => [instance, member?.instance])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['dead', undefined],
      ['z', undefined],
      ['', undefined],
    ]);
    expect(cells.map(({ ownerRow, row }) => [row, ownerRow])).toEqual([
      [2, 3],
      [4, undefined],
    ]);
  });

  it('shows from which crashed instance an item was taken over, until it is back', () => {
    const items = [
      { ...ITEM, item: 0, owner: 'a' },
      { ...ITEM, item: 1, owner: 'b' },
    ];
    const former = new Map([
      [0, 'dead'],
      [1, 'b'],
    ]);
    const { cells, rows } = mapOf(MEMBERS, items, [], former);
    expect(rows.map(({ instance, member }) => [instance, member?.instance])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['dead', undefined],
    ]);
    expect(cells.map(({ formerRow, row }) => [row, formerRow])).toEqual([
      [0, 2],
      [1, undefined],
    ]);
  });

  it('has no empty rows among the items that filters leave', () => {
    const left = [{ ...ITEM, owner: 'b', holder: 'gone' }];
    expect(membersWith(MEMBERS, left).map(({ instance }) => instance)).toEqual(['b']);
  });

  it('keeps its rows where they are while somebody is on it: new ones follow', () => {
    const now = [memberOf('0'), ...MEMBERS];
    expect(mapOf(now, [ITEM], ['a', 'left', 'b']).rows.map(({ instance }) => instance)).toEqual(['a', 'b', '0']);
  });
});

describe('what is drawn of it', () => {
  it('are columns in sight, and some on both sides', () => {
    expect(windowOf(2_200, 440, 22, 1_000)).toEqual({ first: 96, last: 124 });
    expect(windowOf(0, 440, 22, 3)).toEqual({ first: 0, last: 2 });
    expect(windowOf(0, 440, 22, 0)).toEqual({ first: 0, last: -1 });
  });

  it('are columns that fill the room, or are as narrow as their numbers allow', () => {
    expect(columnWidth(24, 23, 720)).toBe(30);
    expect(columnWidth(3, 2, 720)).toBe(40);
    expect(columnWidth(1_000, 999, 720)).toBe(27);
    expect(columnWidth(0, 0, 720)).toBe(40);
  });

  it('scrolls no further than it must to have a cell in sight', () => {
    expect([scrollTo(100, 50, 120, 20), scrollTo(100, 50, 90, 20), scrollTo(100, 50, 140, 20)]).toEqual([100, 90, 110]);
  });
});

describe('a key in the map', () => {
  const { cells } = mapOf(
    [...MEMBERS, memberOf('c')],
    ['a', 'c', 'a', 'c', 'b'].map((owner, item) => ({ ...ITEM, item, owner })),
  );
  const from = (item: number, key: string) => neighbourOf(cells, cells[item]!, key, 2)?.item.item;

  it.each<readonly [number, string, number | undefined]>([
    [1, 'ArrowRight', 2],
    [1, 'ArrowLeft', 0],
    [0, 'ArrowLeft', 0],
    [1, 'PageDown', 3],
    [1, 'End', 4],
    [4, 'Home', 0],
    [0, 'ArrowDown', 4],
    [4, 'ArrowDown', 3],
    [4, 'ArrowUp', 2],
    [0, 'ArrowUp', 0],
    [0, 'x', undefined],
  ])('goes from item %i by %s to item %s', (item, key, target) => {
    expect(from(item, key)).toBe(target);
  });
});

describe('the name of an instance', () => {
  it('is its address, and what tells it from others there', () => {
    expect(instanceName('10.0.3.12@-@7-9f2b')).toEqual({ ip: '10.0.3.12', process: '7-9f2b' });
    expect(instanceName('odd')).toEqual({ ip: 'odd', process: '' });
  });
});
