/**
 * What the text of a node may be at most, so that reading it takes an instance some milliseconds, whoever wrote it:
 * bytes, levels of lists and mappings inside each other, YAML aliases, and values with their keys: the code that counts
 * these is slow when it runs for the first time.
 */
export const NODE_TEXT_LIMITS = { bytes: 262_144, depth: 20, aliases: 20, nodes: 10_000 } as const;

/** Why a text is not read at all, if so. It ends a sentence that begins with the node. */
export function findNodeTextFault(text: string): string | undefined {
  // What a view has read of a longer one may be a part.
  const bytes = Buffer.byteLength(text);
  return bytes > NODE_TEXT_LIMITS.bytes ? `it has more than ${NODE_TEXT_LIMITS.bytes} bytes` : undefined;
}

/** The value of a JSON text. @returns undefined if it is none, or beyond the limits */
export function readJson(text: string): unknown {
  if (findNodeTextFault(text) !== undefined || isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A number that a JSON text can hold: `1e999` can be read there, and never be written. */
export function isJsonNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isTooDeep(text: string): boolean {
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
