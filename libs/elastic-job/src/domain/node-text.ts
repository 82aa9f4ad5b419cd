/**
 * Limits of a node's text, so that reading it takes an instance only milliseconds, whoever wrote it: bytes, nesting of
 * lists and mappings, YAML aliases, and values with their keys. The low `nodes` limit allows for the first run, when
 * the code that counts is slow.
 */
export const NODE_TEXT_LIMITS = { bytes: 262_144, depth: 20, aliases: 20, nodes: 10_000 } as const;

/** Finds why a text is refused unread, as the end of a sentence that begins with the node; undefined if it is not. */
export function findNodeTextFault(text: string): string | undefined {
  // A view cuts longer texts, so what it holds may be a part.
  const bytes = Buffer.byteLength(text);
  return bytes > NODE_TEXT_LIMITS.bytes ? `it has more than ${NODE_TEXT_LIMITS.bytes} bytes` : undefined;
}

/** As `findNodeTextFault`, for a JSON text, which may also be too deep. */
export function findJsonTextFault(text: string): string | undefined {
  return findNodeTextFault(text) ?? (isTooDeep(text) ? `it has more than ${NODE_TEXT_LIMITS.depth} levels` : undefined);
}

/** The value of a JSON text. @returns undefined if it is none, or beyond the limits */
export function readJson(text: string): unknown {
  if (findJsonTextFault(text) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a number that JSON can hold: `1e999` can be read, and never be written. */
export function isJsonNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** The last instant of a date, in milliseconds since the epoch. */
const LAST_INSTANT = 8_640_000_000_000_000;

/** True for an instant in milliseconds since the epoch. @see ECMAScript, time values */
export function isInstant(value: unknown): value is number {
  return isJsonNumber(value) && Math.abs(value) <= LAST_INSTANT;
}

function isTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted && char === '\\') i += 1;
    else if (!isQuoted && (char === '[' || char === '{')) depth += 1;
    else if (!isQuoted && (char === ']' || char === '}')) depth -= 1;
    if (depth > NODE_TEXT_LIMITS.depth) return true;
  }
  return false;
}

/** False for a text with so few brackets that it cannot be too deep, as nearly all are. */
function hasManyBrackets(text: string): boolean {
  let left: number = NODE_TEXT_LIMITS.depth;
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/** True for an object as JSON has it: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a JSON object, whichever version wrote it; undefined for any other text. */
export function readFields(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}

/**
 * The fields of an object without the known ones: those of a later version, which must be kept in the next text that is
 * written.
 */
export function fieldsBut(value: object, known: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !known.includes(field)));
}
