/**
 * All items of a job, up to date: read page by page, and of those pages again that a frame of the stream names. While
 * there is no stream, all are read every five seconds. A reading that fails keeps what is known.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { ItemAnswer, ItemsAnswer } from '../../../src/console/contract/job-answers.js';
import { type ApiProblem, apiPath, asProblem, get, listen, liveState, present } from '../api/index.js';
import type { ItemFilters } from './item-filters.js';
import { awaitingErrors, NO_PAGES, withChanges, withPage } from './item-pages.js';

/** As many as the API gives at once. */
const PAGE = 200;
const POLL_MS = 5_000;
/** Least time between two rounds, and for each page of a round: a person may read 50 times a second. */
const ROUND_MS = 150;
const PER_PAGE_MS = 50;
/** The API asks the history again for an error after five seconds. */
const ERROR_MS = 5_500;

interface JobFrame {
  readonly items: readonly number[] | null;
}

export interface JobItems {
  readonly items: ReadonlySignal<readonly ItemAnswer[]>;
  /** Number of all, also of those that were not read yet; undefined until that is known. */
  readonly total: ReadonlySignal<number | undefined>;
  /** True if the registry was away when they were read. */
  readonly isStale: ReadonlySignal<boolean>;
  readonly problem: ReadonlySignal<ApiProblem | undefined>;
  readonly reload: () => void;
}

/** Props of parts that show items. */
export interface ItemsProps {
  readonly items: JobItems;
  readonly filters: ItemFilters;
  /** Goes to the URL with these filters. */
  readonly show: (next: Partial<ItemFilters>) => void;
}

function createJobItems(job: string): JobItems & { readonly start: () => () => void } {
  const items = signal<readonly ItemAnswer[]>([]);
  const total = signal<number | undefined>(undefined);
  const isStale = signal(false);
  const problem = signal<ApiProblem | undefined>(undefined);
  let pages = NO_PAGES;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let errorTimer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let earliest = 0;
  let left = new AbortController();

  const awaiting = () => awaitingErrors(items.peek(), present());
  const readOne = async (index: number, own: AbortController) => {
    const query = { limit: PAGE, cursor: pages[index]?.from };
    // An item that changes while it is read makes the page old again.
    pages = pages.map((page, at) => (at === index ? { ...page, isOld: false } : page));
    const answer = await get<ItemsAnswer>(apiPath('jobs', job, 'items'), { query, signal: own.signal });
    if (own.signal.aborted) return;
    const isOldAgain = pages[index]?.isOld === true;
    pages = withPage(pages, index, answer).map((page, at) => (at === index ? { ...page, isOld: isOldAgain } : page));
    items.value = pages.flatMap((page) => page.items);
    total.value = answer.total;
    isStale.value = answer.stale;
    problem.value = undefined;
  };
  const round = async (own: AbortController) => {
    isReading = true;
    const begun = Date.now();
    let count = 0;
    try {
      for (let index = 0; index < pages.length && !own.signal.aborted; index += 1) {
        if (pages[index]?.isOld !== true) continue;
        count += 1;
        await readOne(index, own);
      }
    } catch (error) {
      if (!own.signal.aborted) {
        problem.value = asProblem(error);
        pages = withChanges(pages, null);
        count = Infinity;
      }
    } finally {
      isReading = false;
    }
    earliest = begun + (count === Infinity ? POLL_MS : Math.max(ROUND_MS, count * PER_PAGE_MS));
    if (own.signal.aborted) return;
    if (pages.some(({ isOld }) => isOld)) soon();
    if (awaiting().length === 0) return;
    errorTimer ??= setTimeout(() => {
      errorTimer = undefined;
      change(awaiting());
    }, ERROR_MS);
  };
  const soon = () => {
    if (isReading || timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void round(left);
      },
      Math.max(0, earliest - Date.now()),
    );
  };
  const change = (changed: readonly number[] | null) => {
    pages = withChanges(pages, changed);
    soon();
  };
  const start = () => {
    left = new AbortController();
    change(null);
    const ends = [
      listen(`job:${job}`, ({ items: changed }: JobFrame) => change(changed)),
      effect(() => {
        if (liveState.value === 'live' || liveState.value === 'paused') return undefined;
        const poll = setInterval(() => change(null), POLL_MS);
        return () => clearInterval(poll);
      }),
    ];
    return () => {
      for (const end of ends) end();
      clearTimeout(timer);
      clearTimeout(errorTimer);
      [timer, errorTimer] = [undefined, undefined];
      left.abort();
    };
  };
  const reload = () => {
    earliest = 0;
    clearTimeout(timer);
    timer = undefined;
    change(null);
  };
  return { items, total, isStale, problem, reload, start };
}

/** The items of the job, for as long as the component is shown. */
export function useJobItems(job: string): JobItems {
  const items = useMemo(() => createJobItems(job), [job]);
  useLayoutEffect(() => items.start(), [items]);
  return items;
}
