import type { AuditEntry } from '../../../src/console/contract/answers.js';

/**
 * Entries with what has become of them and what has come since. Entries end after they were read, so those that are
 * still the newest page replace what was known.
 * @param page the newest entries now
 * @returns undefined if more have come than the page has: what is between is not known
 */
export function mergedEntries(
  known: readonly AuditEntry[],
  page: readonly AuditEntry[],
): readonly AuditEntry[] | undefined {
  const first = known[0];
  if (first === undefined) return page;
  if (!page.some(({ id }) => id === first.id)) return undefined;
  const inPage = new Set(page.map(({ id }) => id));
  const merged = [...page, ...known.filter(({ id }) => !inPage.has(id))];
  return isSame(known, merged) ? known : merged;
}

/** The same list stays the same value, so that nothing that shows it is made anew. */
function isSame(a: readonly AuditEntry[], b: readonly AuditEntry[]): boolean {
  return (
    a.length === b.length && a.every(({ id, outcome }, index) => id === b[index]?.id && outcome === b[index].outcome)
  );
}
