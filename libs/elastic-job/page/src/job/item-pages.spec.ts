import { describe, expect, it } from 'vitest';
import { awaitingErrors, type ItemPage, NO_PAGES, withChanges, withPage } from './item-pages.js';
import { ITEM, RUN } from './items.for-spec.js';

const items = (...numbers: readonly number[]) => numbers.map((item) => ({ ...ITEM, item }));
const old = (pages: readonly ItemPage[]) => pages.map(({ isOld }) => isOld);

describe('pages of items', () => {
  it('are read one after the other, until the last', () => {
    const first = withPage(NO_PAGES, 0, { cursor: 'b', items: items(0, 1) });
    expect(old(first)).toEqual([false, true]);
    expect(first[1]?.from).toBe('b');
    expect(old(withPage(first, 1, { cursor: null, items: items(2) }))).toEqual([false, false]);
  });

  it('are read again if one of their items has changed, and no others', () => {
    const pages = readPages();
    expect(old(withChanges(pages, [2]))).toEqual([false, true, false]);
    expect(old(withChanges(pages, []))).toEqual([false, false, false]);
    expect(old(withChanges(pages, null))).toEqual([true, true, true]);
  });

  it('find an item that is new behind the last one', () => {
    expect(old(withChanges(readPages(), [99]))).toEqual([false, false, true]);
  });

  it('are left out once the job has fewer items, and are read from where they begin now', () => {
    const pages = readPages();
    expect(withPage(pages, 1, { cursor: null, items: items(2) })).toHaveLength(2);
    const moved = withPage(pages, 0, { cursor: 'c', items: items(0) });
    expect(moved.map(({ from }) => from)).toEqual([undefined, 'c']);
    expect(old(moved)).toEqual([false, true]);
  });
});

describe('an item that has failed', () => {
  it('is looked at again while the history may still tell why', () => {
    const settledAt = '2026-11-30T02:00:10.000Z';
    const failed = { ...ITEM, item: 3, lastRun: { ...RUN, outcome: 'failed' as const, settledAt } };
    const known = { ...failed, lastRun: { ...failed.lastRun, error: 'no bank' } };
    const present = Date.parse(settledAt);

    expect(awaitingErrors([ITEM, failed, known], present + 5_000)).toEqual([3]);
    expect(awaitingErrors([failed], present + 60_000)).toEqual([]);
  });
});

function readPages(): readonly ItemPage[] {
  const first = withPage(NO_PAGES, 0, { cursor: 'b', items: items(0, 1) });
  const second = withPage(first, 1, { cursor: 'd', items: items(2, 3) });
  return withPage(second, 2, { cursor: null, items: items(4) });
}
