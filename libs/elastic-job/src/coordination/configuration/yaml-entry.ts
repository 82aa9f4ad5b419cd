import type { YamlEntry } from './yaml-node.js';
import { formatKey } from './yaml-scalar.js';

/**
 * The text of an entry of a document's mapping, to be written back as it was: the key, and all from the colon to the
 * next entry. An entry of a flow mapping (`{a: 1}`) becomes one of a block mapping, in which a key of several lines is
 * written anew: it could not stand there as it was.
 * @param text the document
 * @param end where the next entry begins
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
  // In block style further lines must be indented.
  return { key, value: ` ${text.slice(start, valueEnd).trim().replaceAll('\n', '\n  ')}` };
}
