import type { ConfigurationDifference } from '../../coordination/index.js';

/** A node may have 256 KB and thousands of props, and each edit of it is told and kept. */
const MOST_DIFFERENCES = 20;
const MOST_CHARACTERS = 100;

/** One text for each of the first differences, and one for the rest. */
export function describeDifferences(differences: readonly ConfigurationDifference[]): readonly string[] {
  return describeFirst(differences, describe);
}

/** One text for each of the first fields, and one for the rest. */
export function describeFields(fields: readonly string[]): readonly string[] {
  return describeFirst(fields, cut);
}

function describeFirst<T>(all: readonly T[], describeOne: (one: T) => string): readonly string[] {
  const described = all.slice(0, MOST_DIFFERENCES).map(describeOne);
  const others = all.length - described.length;
  return others === 0 ? described : [...described, `and ${others} others`];
}

function describe({ field, isRefused, local, stored }: ConfigurationDifference): string {
  const both = `${cut(field)}: ${cut(local)} here, ${cut(stored)} in the registry`;
  return isRefused ? `${both}, which is not followed (see allowRegistryTargets)` : both;
}

/** Quotes a text of which a reader would not see all: an empty one, and one that begins or ends with a blank. */
function quoted(text: string): string {
  return text !== '' && text.trim() === text ? text : `'${text}'`;
}

function cut(value: ConfigurationDifference['stored']): string {
  const text = quoted(String(value));
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}... (${text.length} characters)`;
}
