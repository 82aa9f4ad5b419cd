/**
 * Entries of the audit, the newest first, page by page. The newest page is read again from time to time: what has come
 * stands above, and what has ended says so. It is also read after each change of this page.
 */
import { effect, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { AuditAnswer, AuditEntry } from '../../../src/console/contract/answers.js';
import { answeredChanges, type ApiProblem, asProblem, get, liveState } from '../api/index.js';
import { askedFor, type AuditFilters } from './filters.js';
import { mergedEntries } from './merged.js';

const PAGE = 50;
const EVERY_MS = 10_000;

export type Entries = ReturnType<typeof createEntries>;

function createEntries(filters: AuditFilters) {
  /** Undefined until they were read once. */
  const entries = signal<readonly AuditEntry[] | undefined>(undefined);
  const problem = signal<ApiProblem | undefined>(undefined);
  const isReading = signal(false);
  const hasMore = signal(false);
  /** A cursor belongs to one query, so a span has one beginning. */
  const asked = askedFor(filters, Date.now());
  const left = new AbortController();
  let cursor: string | undefined;

  const read = async (from?: string) => {
    if (isReading.peek()) return;
    isReading.value = true;
    try {
      const query = { ...asked, limit: PAGE, cursor: from };
      put(await get<AuditAnswer>('/audit', { query, signal: left.signal }), from);
      problem.value = undefined;
    } catch (error) {
      if (!left.signal.aborted) problem.value = asProblem(error);
    } finally {
      isReading.value = false;
    }
  };
  const put = ({ cursor: next, items }: AuditAnswer, from: string | undefined) => {
    const known = entries.peek() ?? [];
    const merged = from === undefined ? mergedEntries(known, items) : [...known, ...items];
    entries.value = merged ?? items;
    // The newest page says nothing of where the oldest one ends.
    if (from === undefined && merged !== undefined && known.length > 0) return;
    cursor = next ?? undefined;
    hasMore.value = next !== null;
  };

  return {
    entries,
    problem,
    isReading,
    hasMore,
    reload: () => void read(),
    more: () => void read(cursor),
    start: () => {
      // Reads now, and after each change.
      const endHearing = answeredChanges.subscribe(() => void read());
      const end = effect(() => {
        if (liveState.value === 'paused') return undefined;
        const timer = setInterval(() => void read(), EVERY_MS);
        return () => clearInterval(timer);
      });
      return () => {
        end();
        endHearing();
        left.abort();
      };
    },
  };
}

/** The entries that the filters ask for, for as long as they are shown. @param key another key is another list */
export function useEntries(filters: AuditFilters, key: string): Entries {
  const entries = useMemo(() => createEntries(filters), [key]);
  useEffect(() => entries.start(), [entries]);
  return entries;
}
