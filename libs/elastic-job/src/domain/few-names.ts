/** Most names in one text. */
const MOST_NAMES = 20;

/** Names as a text that stays short: the first ones, and the number of the others. */
export function fewNames(names: readonly string[]): string {
  if (names.length <= MOST_NAMES) return names.join(', ');
  return `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;
}
