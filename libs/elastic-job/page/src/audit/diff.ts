/** Before and after in an entry of the audit, as lines that can be read. */

export interface Line {
  /** Empty: the value as a whole. */
  readonly field: string;
  /** Undefined: the entry does not tell. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Longest text of a value that is shown. */
const LONGEST = 2_000;

/** Fields that are the same before and after are left out. */
export function diffOf(before: unknown, after: unknown): readonly Line[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names
    .map((field): Line => ({ field, before: was.get(field), after: is.get(field) }))
    .filter((line) => line.before !== line.after);
}

function fieldsOf(value: unknown): ReadonlyMap<string, string> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== 'object' || Array.isArray(value)) return new Map([['', textOf(value)]]);
  return new Map(Object.entries(value).map(([name, part]: [string, unknown]) => [name, textOf(part)]));
}

function textOf(value: unknown): string {
  const text = isTexts(value)
    ? value.join(', ')
    : typeof value === 'string'
      ? value
      : (JSON.stringify(value) ?? String(value));
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((part) => typeof part === 'string');
}
