/**
 * The rows of a list, read page by page as far as they are looked at. Frames of the stream change rows where they
 * stand; what changes the order, or which rows there are, has the list read again, unless somebody is on it.
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { IndexState, JobRow, JobsAnswer } from '../../../src/console/contract/job-answers.js';
import { type ApiProblem, asProblem, get, listen } from '../api/index.js';
import type { JobFilters } from './filters.js';

const PAGE = 200;
/** The first page, for the first look, is smaller. */
const FIRST_PAGE = 100;
/** Rows that are read beyond those in sight: less than what the first page leaves of a high screen. */
const AHEAD = 50;
/** Least time between two readings of the whole list. */
const AGAIN_MS = 3_000;

interface JobsFrame extends IndexState {
  readonly rows: readonly JobRow[];
  readonly gone: readonly string[];
  readonly more: boolean;
}

export type JobPages = ReturnType<typeof createJobPages>;

function createJobPages(filters: JobFilters, key: string) {
  const rows = signal<readonly JobRow[]>([]);
  const state = signal<Omit<JobsAnswer, 'cursor' | 'items'> | undefined>(undefined);
  const problem = signal<ApiProblem | undefined>(undefined);
  let cursor: string | undefined;
  let isWhole = false;
  let wanted = 0;
  let isHeld = false;
  let isOld = false;
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let readAt = 0;

  const page = async (own: AbortController, from: string | undefined) => {
    const limit = from === undefined ? FIRST_PAGE : PAGE;
    return get<JobsAnswer>('/jobs', { query: { ...filters, limit, cursor: from }, signal: own.signal });
  };
  /** Reads on from a list, or a new one, until it has what is looked at. A new one is shown once it is there. */
  const read = async (isNew: boolean) => {
    running?.abort();
    const own = (running = new AbortController());
    let [list, from, whole] = isNew ? [[] as readonly JobRow[], undefined, false] : [rows.peek(), cursor, isWhole];
    if (isNew) [isOld, readAt] = [false, Date.now()];
    try {
      while (!whole && list.length <= wanted + AHEAD) {
        const { cursor: next, items, ...rest } = await page(own, from);
        if (own.signal.aborted) return;
        list = [...list, ...items];
        [from, whole] = [next ?? undefined, next === null];
        state.value = rest;
        if (!isNew || whole || list.length > Math.min(wanted + AHEAD, rows.peek().length)) {
          [rows.value, cursor, isWhole] = [list, from, whole];
        }
      }
      problem.value = undefined;
    } catch (error) {
      if (!own.signal.aborted) problem.value = asProblem(error);
    } finally {
      if (running === own) running = undefined;
    }
  };
  const readAgain = () => {
    isOld = true;
    if (isHeld || timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        if (isOld && !isHeld) void read(true);
      },
      Math.max(0, readAt + AGAIN_MS - Date.now()),
    );
  };
  const onFrame = (frame: JobsFrame) => {
    const { indexed, asOf, stale } = frame;
    if (state.value !== undefined) state.value = { ...state.value, indexed, asOf, stale };
    const changed = new Map(frame.rows.map((row) => [row.job, row]));
    const known = rows.peek();
    if (known.some(({ job }) => changed.has(job))) rows.value = known.map((row) => changed.get(row.job) ?? row);
    if (frame.more || frame.rows.length > 0 || frame.gone.length > 0) readAgain();
  };

  return {
    key,
    rows,
    state,
    problem,
    reload: () => void read(true),
    /** Told of the rows in sight. */
    show: (_first: number, last: number) => {
      wanted = last;
      if (!isWhole && running === undefined && problem.peek() === undefined && rows.peek().length <= last + AHEAD) {
        void read(false);
      }
    },
    hold: (held: boolean) => {
      isHeld = held;
      if (!held && isOld) readAgain();
    },
    start: () => {
      void read(true);
      const end = listen('jobs', onFrame);
      return () => {
        end();
        clearTimeout(timer);
        running?.abort();
      };
    },
  };
}

/**
 * The list of these filters; until it is there, that of the filters before.
 * @param key other filters have another one
 */
export function useJobPages(filters: JobFilters, key: string): JobPages {
  const pages = useMemo(() => createJobPages(filters, key), [key]);
  useLayoutEffect(() => pages.start(), [pages]);
  const shown = useRef(pages);
  if (pages.state.value !== undefined || pages.problem.value !== undefined) shown.current = pages;
  return shown.current;
}
