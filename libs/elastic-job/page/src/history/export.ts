/**
 * Rows of a list as a file. In CSV, a text that a spreadsheet would take for a formula stands behind an apostrophe:
 * names and errors are written by others.
 */
const BOM = '\uFEFF';
/** Spreadsheets take these beginnings for a formula, also behind spaces. */
const FORMULA = /^\s*[=+\-@|%\t\r\n]/;

/** @param columns names of fields, in their order */
export function csvOf<Row extends object>(columns: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  const lines: readonly (readonly unknown[])[] = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return BOM + lines.map((line) => line.map(cellOf).join(',')).join('\r\n') + '\r\n';
}

export function jsonOf(rows: readonly object[]): string {
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}

/** `runs-2026-11-30T03-14-07Z.csv`. @param at milliseconds since the epoch */
export function fileName(list: string, at: number, ending: 'csv' | 'json'): string {
  return `${list}-${new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}.${ending}`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  // A number is one, also below zero.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n\t]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
