/** Holds keys only during a call. Has no prototype, since a path may have any name. */
const keys: Record<string, undefined> = Object.create(null);

/**
 * Returns one shared text for all equal texts: a process with many jobs has each path and each setting many times. A
 * concatenated or cut text keeps its parts in memory; the shared one does not.
 *
 * V8 keeps object keys as unique texts, and points every reference to that text.
 */
export function interned(text: string): string {
  keys[text] = undefined;
  delete keys[text];
  return text;
}
