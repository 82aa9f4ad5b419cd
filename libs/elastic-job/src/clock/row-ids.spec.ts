import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { RowIds } from './row-ids.js';

describe('RowIds', () => {
  it('makes UUIDs of version 7 in the order of the rows', () => {
    const clock = new VirtualClock();
    const rowIds = new RowIds(clock);

    const ids: string[] = [];
    for (const ms of [0, 0, 0, 1, 0, 1_000]) {
      clock.setWall(clock.wallNow() + ms);
      ids.push(rowIds.next());
    }

    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('makes no id twice, even for more rows of one instant than it counts', () => {
    const rowIds = new RowIds(new VirtualClock());

    const ids = Array.from({ length: 10_000 }, () => rowIds.next());

    expect(new Set(ids).size).toBe(10_000);
  });

  it('makes different ids in two processes at the same instant', () => {
    const clock = new VirtualClock();

    expect(new RowIds(clock.fork()).next()).not.toBe(new RowIds(clock.fork()).next());
  });
});
