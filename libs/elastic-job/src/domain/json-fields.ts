import { readJson } from './node-text.js';

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
