import { isNode, type Pair, type YAMLMap } from 'yaml';

/**
 * The text of an entry of a document's mapping, to be written back as it was: the key, and all from the colon to the
 * next entry. An entry of a flow mapping (`{a: 1}`) becomes one of a block mapping.
 * @param text the document
 */
export function entryText(text: string, map: YAMLMap, entry: Pair): { readonly key: string; readonly value: string } {
  const [keyStart = 0, keyEnd = 0] = rangeOf(entry.key);
  const key = text.slice(keyStart, keyEnd);
  const colon = /\s*:/y;
  colon.lastIndex = keyEnd;
  const start = colon.test(text) ? colon.lastIndex : keyEnd;
  if (map.flow !== true)
    return { key, value: text.slice(start, endInBlock(map, entry)).replace(/\r?\n(?:\? *)?$/, '') };
  const value = text.slice(start, rangeOf(entry.value)[1] ?? start).trim();
  // In block style further lines must be indented.
  return { key, value: ` ${value.replaceAll('\n', '\n  ')}` };
}

function endInBlock(map: YAMLMap, entry: Pair): number {
  const next = map.items[map.items.indexOf(entry) + 1];
  return (next === undefined ? rangeOf(map)[1] : rangeOf(next.key)[0]) ?? 0;
}

function rangeOf(node: unknown): readonly number[] {
  return isNode(node) ? (node.range ?? []) : [];
}
