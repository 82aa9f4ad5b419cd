/** Most names in one text. */
const MOST_NAMES = 20;

/** Names as a text that stays short: the first ones, and the number of the others. */
export function fewNames(names: readonly string[]): string {
  if (names.length <= MOST_NAMES) return names.join(', ');
  return `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;
}

/** An ensemble and a namespace in it, in words for the log and for errors. */
export function describeRegistry(servers: string, namespace: string): string {
  return `${servers} (namespace "${namespace}")`;
}

/** A time in milliseconds since the epoch, as ISO 8601 has it. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * The known name that was probably meant; undefined if none is close.
 * @param furthest most characters that may differ
 */
export function findNearestName(
  name: string,
  known: readonly string[],
  furthest = Math.max(2, name.length / 3),
): string | undefined {
  const nearest = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  return nearest !== undefined && nearest.distance <= furthest ? nearest.candidate : undefined;
}

/** Levenshtein distance: characters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
