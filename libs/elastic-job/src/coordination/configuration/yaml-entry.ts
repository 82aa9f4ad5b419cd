import type { YamlEntry } from './yaml-node.js';
import { formatKey } from './yaml-scalar.js';

/**
 * Text of an entry of a document's mapping, for writing it back unchanged: the key, and everything from the colon to
 * the next entry. An entry of a flow mapping (`{a: 1}`) becomes one of a block mapping; a key of several lines cannot
 * stay as it is there, and is written anew.
 * @param text the document
 * @param end start of the next entry
 */
export function entryText(
  text: string,
  { key: name, at, keyEnd, valueEnd, isFlow }: YamlEntry,
  end: number,
): { readonly key: string; readonly value: string } {
  const asItWas = text.slice(at, keyEnd);
  const key = asItWas.includes('\n') ? formatKey(name, '').replace(/: $/, '') : asItWas;
  const colon = /\s*:/y;
  colon.lastIndex = keyEnd;
  const start = colon.test(text) ? colon.lastIndex : keyEnd;
  if (!isFlow) return { key, value: text.slice(start, end).replace(/\r?\n(?:\? *)?$/, '') };
  // In block style, further lines must be indented.
  return { key, value: ` ${text.slice(start, valueEnd).trim().replaceAll('\n', '\n  ')}` };
}
