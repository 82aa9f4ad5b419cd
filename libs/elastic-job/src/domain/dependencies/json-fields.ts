import { readJson } from '../node-text.js';

/** The fields of a JSON object, whichever version wrote it; undefined for any other text. */
export function readFields(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}

/**
 * What is left of an object's fields without some: those of a later version, to be kept in whatever is written next.
 */
export function fieldsBut(value: object, known: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !known.includes(field)));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
