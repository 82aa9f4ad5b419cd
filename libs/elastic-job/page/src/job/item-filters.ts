/** Filters of the map and the table of items, as the URL has them: a link to it shows the same. */
import type { ItemAnswer } from '../../../src/console/contract/job-answers.js';
import { ITEM_STATES, type ItemState, stateOf } from './item-state.js';

export interface ItemFilters {
  /** None: all. */
  readonly states: readonly ItemState[];
  /** Id of the instance that owns or runs the items. */
  readonly instance: string | undefined;
  /** The item that is looked at. */
  readonly item: number | undefined;
  readonly isTable: boolean;
}

/** Wrong values of a URL that somebody has typed are left out. */
export function itemFiltersOf({
  instance,
  item = '',
  show,
  state = '',
}: Readonly<Record<string, string>>): ItemFilters {
  const named = state.split(',');
  return {
    states: ITEM_STATES.filter((one) => named.includes(one)),
    instance: instance === '' ? undefined : instance,
    item: /^\d{1,9}$/.test(item) ? Number(item) : undefined,
    isTable: show === 'table',
  };
}

/** The query of the URL, with `?` unless it is empty. */
export function itemQueryOf({ instance, isTable, item, states }: ItemFilters): string {
  const query = new URLSearchParams({
    ...(item !== undefined && { item: String(item) }),
    ...(states.length > 0 && { state: states.join(',') }),
    ...(instance !== undefined && { instance }),
    ...(isTable && { show: 'table' }),
  });
  return query.size === 0 ? '' : `?${query}`;
}

export function isItemFiltered({ instance, states }: ItemFilters): boolean {
  return states.length > 0 || instance !== undefined;
}

export function filterItems(items: readonly ItemAnswer[], { instance, states }: ItemFilters): readonly ItemAnswer[] {
  return items.filter(
    (item) =>
      (states.length === 0 || states.includes(stateOf(item))) &&
      (instance === undefined || item.owner === instance || item.holder === instance),
  );
}
