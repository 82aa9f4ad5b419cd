import { describe, expect, it } from 'vitest';
import { filterItems, type ItemFilters, itemFiltersOf, itemQueryOf } from './item-filters.js';
import { ITEM } from './items.for-spec.js';

const NONE: ItemFilters = { states: [], instance: undefined, item: undefined, isTable: false };
const fromUrl = (query: string) => itemFiltersOf(Object.fromEntries(new URLSearchParams(query)));

describe('filters of items', () => {
  it('come back from the URL that they have made', () => {
    const filters: ItemFilters = { states: ['failed', 'running'], instance: '10.0.0.1@-@7 &', item: 0, isTable: true };
    expect(fromUrl(itemQueryOf(filters))).toEqual(filters);
    expect(itemQueryOf(NONE)).toBe('');
  });

  it('leave out what nobody can look at', () => {
    expect(fromUrl('state=broken,&item=-1&instance=&show=pie')).toEqual(NONE);
    expect(fromUrl('item=1e9')).toEqual(NONE);
  });

  it('keep the items of an instance that owns or runs them', () => {
    const items = [
      { ...ITEM, item: 0, owner: 'a', holder: 'b' },
      { ...ITEM, item: 1, owner: 'b' },
      { ...ITEM, item: 2, owner: 'c' },
    ];
    const left = (filters: Partial<ItemFilters>) => filterItems(items, { ...NONE, ...filters }).map(({ item }) => item);
    expect(left({ instance: 'b' })).toEqual([0, 1]);
    expect(left({ states: ['running'] })).toEqual([0]);
    expect(left({})).toEqual([0, 1, 2]);
  });
});
