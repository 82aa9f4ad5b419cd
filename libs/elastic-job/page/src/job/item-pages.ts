/** The items of a job in pages, of which those that have changed are read again. */
import type { ItemAnswer, ItemsAnswer } from '../../../src/console/contract/job-answers.js';

export interface ItemPage {
  /** Where it begins; undefined: at the first item. */
  readonly from: string | undefined;
  readonly items: readonly ItemAnswer[];
  /** True if it has to be read again. */
  readonly isOld: boolean;
}

/** Longest time after which an error still comes. */
const ERROR_MS = 30_000;

/** Nothing was read yet. */
export const NO_PAGES: readonly ItemPage[] = [{ from: undefined, items: [], isOld: true }];

/** The pages with one that was read anew. Others may begin elsewhere now, or be gone. */
export function withPage(
  pages: readonly ItemPage[],
  index: number,
  { cursor, items }: Pick<ItemsAnswer, 'cursor' | 'items'>,
): readonly ItemPage[] {
  const read = { from: pages[index]?.from, items, isOld: false };
  const before = pages.slice(0, index);
  if (cursor === null) return [...before, read];
  const next = pages[index + 1];
  if (next?.from === cursor) return [...before, read, ...pages.slice(index + 1)];
  return [...before, read, { from: cursor, items: [], isOld: true }];
}

/** Items that have failed of late without an error: the history is written behind the runs, so it may still come. */
export function awaitingErrors(items: readonly ItemAnswer[], present: number): readonly number[] {
  const isAwaiting = ({ lastRun }: ItemAnswer) =>
    lastRun?.outcome === 'failed' &&
    lastRun.error === null &&
    lastRun.settledAt !== null &&
    present - Date.parse(lastRun.settledAt) < ERROR_MS;
  return items.filter(isAwaiting).map(({ item }) => item);
}

/** The pages with those marked as old that have these items. @param changed null: any may have changed */
export function withChanges(pages: readonly ItemPage[], changed: readonly number[] | null): readonly ItemPage[] {
  const last = pages.length - 1;
  return pages.map((page, index) => {
    const from = index === 0 ? -Infinity : (page.items[0]?.item ?? -Infinity);
    const to = index === last ? Infinity : (page.items.at(-1)?.item ?? Infinity);
    const isOld = changed === null || changed.some((item) => item >= from && item <= to);
    return isOld ? { ...page, isOld } : page;
  });
}
