import type { YamlEntry } from '../coordination/index.js';

/** Names the position of a key, or of an entry below it: `props.email.host` is `email.host` in `props`. */
export function placesIn(entries: readonly YamlEntry[]): (path: string) => number | undefined {
  const places = new Map<string, number>();
  for (const { at, key, value } of entries) {
    places.set(key, at);
    if (value.kind === 'mapping') for (const entry of value.entries) places.set(`${key}.${entry.key}`, entry.at);
  }
  return (path) => places.get(path) ?? places.get(/^\w*/.exec(path)![0]);
}
