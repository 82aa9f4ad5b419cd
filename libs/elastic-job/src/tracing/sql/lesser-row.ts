import { isDeepStrictEqual } from 'node:util';
import type { TraceRow } from './trace-row.js';

const REFUSED = 'The database has refused this text.';

/**
 * Versions of a row for a database that refuses it, each with less text: in ASCII, which every database can store, and
 * with a note instead of its failure or message. Those that equal the row are left out.
 */
export function lesserVersionsOf(row: TraceRow): TraceRow[] {
  const plain = inAscii(row);
  return [plain, withoutText(plain)].filter((version) => !isDeepStrictEqual(version, row));
}

function inAscii(row: TraceRow): TraceRow {
  // All texts but the ids, which are ASCII. JSON stays JSON.
  const entries = Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? ascii(value) : value]);
  return { ...row, ...Object.fromEntries(entries) };
}

function withoutText(row: TraceRow): TraceRow {
  switch (row.table) {
    case 'execution':
      return { ...row, failureCause: row.failureCause === null ? null : REFUSED };
    case 'status':
      return { ...row, message: row.message === '' ? '' : REFUSED };
    case 'attempt':
      return { ...row, error: row.error === null ? null : REFUSED };
    case 'event':
      return { ...row, detail: JSON.stringify({ message: REFUSED }) };
    default:
      return row;
  }
}

function ascii(text: string): string {
  return text.replaceAll(/[^\n\t -~]/gu, '?');
}
