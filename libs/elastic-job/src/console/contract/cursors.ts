import { createHash } from 'node:crypto';
import { ConsoleProblem } from './problems.js';

/**
 * A cursor: the key after which a page begins, for one query alone. It gives no right: a page shows what the caller may
 * see, whatever the cursor says.
 * @param list the list that the query asks: `jobs`
 */
export function formatCursor(list: string, query: object, key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([digestOf(list, query), ...key])).toString('base64url');
}

/** @throws {ConsoleProblem} 400 for a text that is no cursor of this query */
export function parseCursor(list: string, query: object, cursor: string): readonly (string | number)[] {
  const [digest, ...key] = partsOf(cursor);
  if (digest === digestOf(list, query) && key.every((part) => typeof part === 'string' || typeof part === 'number')) {
    return key;
  }
  throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'The cursor does not belong to this query.', {
    fields: [{ field: 'cursor', problem: 'must be the cursor of a page of the same query' }],
  });
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** Without its place and its size, which may change from page to page. */
function digestOf(list: string, query: object): string {
  const asked = Object.entries(query).filter(
    ([name, value]) => !['cursor', 'limit'].includes(name) && value !== undefined,
  );
  const text = JSON.stringify([list, ...asked.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
