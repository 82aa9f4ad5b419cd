/** Holds keys only during a call. Has no prototype, since a path may have any name. */
const keys: Record<string, undefined> = Object.create(null);

/**
 * Returns one shared text for all equal texts: a process with many jobs has each path and each setting many times. A
 * concatenated or cut text keeps its parts in memory; the shared one does not. It is for texts that are kept: a call
 * takes 0.5 µs for a new text, and 0.15 µs for an equal one.
 *
 * Measured with Node 20: without it, a job at rest takes 27.6 KB instead of 26.2 (row h of `bench:scale`), and a path
 * that three tables hold takes 430 bytes instead of 180.
 *
 * V8 keeps object keys as unique texts, and points every reference to that text.
 */
export function interned(text: string): string {
  keys[text] = undefined;
  delete keys[text];
  return text;
}
