/** Runs of a job from the history: the newest ones again and again, and older ones as far as somebody looks. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ExecutionsAnswer } from '../../../src/console/contract/job-answers.js';
import { type ApiProblem, apiPath, asProblem, get, liveState } from '../api/index.js';
import { type RunFilters, type RunList, SPANS, withNewest } from './run-filters.js';

const PAGE = 100;
const EVERY_MS = 5_000;

export interface Runs {
  /** Undefined until it was read once. */
  readonly list: ReadonlySignal<RunList | undefined>;
  readonly problem: ReadonlySignal<ApiProblem | undefined>;
  readonly reload: () => void;
  /** Reads older ones. */
  readonly more: () => void;
}

function createRuns(job: string, { outcome, since, source }: RunFilters): Runs & { readonly start: () => () => void } {
  const list = signal<RunList | undefined>(undefined);
  const problem = signal<ApiProblem | undefined>(undefined);
  const from = since === undefined ? undefined : new Date(Date.now() - SPANS[since]).toISOString();
  let left = new AbortController();
  let isReading = false;
  let isReadingMore = false;

  const page = async (cursor: string | undefined, own: AbortController): Promise<RunList> => {
    const query = { limit: PAGE, outcome, source, from, cursor };
    const answer = await get<ExecutionsAnswer>(apiPath('jobs', job, 'executions'), { query, signal: own.signal });
    return { runs: answer.items, cursor: answer.cursor };
  };
  const newest = async (own = left) => {
    if (isReading) return;
    isReading = true;
    try {
      const read = await page(undefined, own);
      const known = list.peek();
      list.value = known === undefined ? read : withNewest(known, read);
      problem.value = undefined;
    } catch (error) {
      if (!own.signal.aborted) problem.value = asProblem(error);
    } finally {
      isReading = false;
    }
  };
  const more = async (own = left) => {
    const cursor = list.peek()?.cursor;
    if (isReadingMore || cursor == null || problem.peek() !== undefined) return;
    isReadingMore = true;
    try {
      const older = await page(cursor, own);
      const known = list.peek();
      if (known?.cursor === cursor) list.value = { runs: [...known.runs, ...older.runs], cursor: older.cursor };
    } catch (error) {
      if (!own.signal.aborted) problem.value = asProblem(error);
    } finally {
      isReadingMore = false;
    }
  };
  const start = () => {
    left = new AbortController();
    [isReading, isReadingMore] = [false, false];
    void newest();
    const end = effect(() => {
      if (liveState.value === 'paused') return undefined;
      const timer = setInterval(() => void newest(), EVERY_MS);
      return () => clearInterval(timer);
    });
    return () => {
      end();
      left.abort();
    };
  };
  return { list, problem, reload: () => void newest(), more: () => void more(), start };
}

/** The runs that the filters leave, for as long as they are shown. */
export function useRuns(job: string, filters: RunFilters): Runs {
  const { outcome, since, source } = filters;
  const runs = useMemo(() => createRuns(job, filters), [job, outcome, since, source]);
  useEffect(() => runs.start(), [runs]);
  return runs;
}
