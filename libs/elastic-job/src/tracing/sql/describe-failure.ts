/** Most causes, since a chain of causes may be circular. */
const MOST_CAUSES = 10;

/** The error of a handler in full: stacks and causes, in Java's form. Never throws, for any value. */
export function describeFailure(failure: unknown): string {
  const causes: unknown[] = [];
  for (let cause = failure; causes.length < MOST_CAUSES; cause = cause.cause) {
    causes.push(cause);
    if (!(cause instanceof Error) || cause.cause === undefined) break;
  }
  return causes.map(describe).join('\nCaused by: ');
}

function describe(failure: unknown): string {
  try {
    return failure instanceof Error ? (failure.stack ?? String(failure)) : String(failure);
  } catch {
    return 'a value that cannot be shown';
  }
}
