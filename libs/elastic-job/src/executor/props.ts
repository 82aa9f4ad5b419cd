import { type JobProps, show } from '../domain/index.js';

/** The longest delay of a timer, and Java's greatest `int`. */
const GREATEST_MS = 2_147_483_647;

/** What is wrong with a property that must be there; nothing: []. */
export function findMissing(props: JobProps, name: string, example: string): readonly string[] {
  return props[name] ? [] : [`${name} is required, such as ${show(example)}, but is ${show(props[name])}`];
}

/** What is wrong with a property that is a time in milliseconds, if it is there. */
export function findWrongMs(props: JobProps, name: string): readonly string[] {
  const text = props[name];
  if (text === undefined || (/^[1-9]\d*$/.test(text) && Number(text) <= GREATEST_MS)) return [];
  return [`${name} must be a whole number from 1 to ${GREATEST_MS}, but is ${show(text)}`];
}
