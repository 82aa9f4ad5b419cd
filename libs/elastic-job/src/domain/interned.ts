/** Has no keys for longer than a call. Without a prototype, since a path may be called like anything. */
const keys: Record<string, undefined> = Object.create(null);

/**
 * The text, as one that all equal texts share: a process with many jobs has each path and each setting many times over.
 * A text that was put together, or cut out of another one, keeps its parts in memory besides; this one does not.
 *
 * Keys of objects are unique texts in V8, which points to it whatever refers to this text.
 */
export function interned(text: string): string {
  keys[text] = undefined;
  delete keys[text];
  return text;
}
