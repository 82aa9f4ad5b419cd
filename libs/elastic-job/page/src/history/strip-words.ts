import { itemList, texts, visibleText } from '../text/index.js';
import { type Fate, reasonOf, type StripColumn } from './strip-layout.js';
import { words } from './texts.js';

/** Fate of an item at a fire time, and why, in words. */
export function fateText(column: StripColumn, item: number): string {
  const { fates, strip: t } = words.value;
  if (column.isNext) return t.toCome;
  const fate = column.fates[item];
  if (fate === undefined) return t.noItem;
  const reason = reasonOf(column, item);
  return reason === undefined ? fates[fate].name : t.reason(fates[fate].name, visibleText(reason));
}

/** How many items have ended how at a fire time: `23 done, 1 failed`. */
export function barText({ counts, isNext }: StripColumn): string {
  const { fates, strip: t } = words.value;
  if (isNext) return t.toCome;
  return [...counts].map(([fate, count]) => `${count} ${fates[fate].name}`).join(', ');
}

/** The items that have one fate at a fire time: `3, 5`. */
export function itemsText({ fates }: StripColumn, fate: Fate): string {
  const items = fates.flatMap((one, item) => (one === fate ? [item] : []));
  const { more, shown } = itemList(items);
  return more === 0 ? shown : `${shown} ${texts.value.more(more)}`;
}
