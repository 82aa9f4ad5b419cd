/** A cell that begins so is a formula to a spreadsheet, which computes it when the table is opened. */
const FORMULA = /^[=+\-@\t\r\n]/;
const QUOTED = /[",\r\n]/;

/**
 * Rows as a table with a line of names (RFC 4180). A text that a spreadsheet would take for a formula gets an
 * apostrophe. A list has spaces between its members, and an object stands as JSON.
 */
export function csvOf(rows: readonly object[], columns: readonly string[]): string {
  const lines = rows.map((row) =>
    columns.map((column) => cellOf(Object.hasOwn(row, column) ? Reflect.get(row, column) : null)),
  );
  return [columns, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellOf(value: unknown): string {
  const text = textOf(value);
  // A negative number is no formula.
  const safe = typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  return JSON.stringify(value);
}
