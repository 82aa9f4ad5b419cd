/** A chain of causes may be a ring. */
const MOST_CAUSES = 10;

/** What a handler has thrown, in full: stacks and causes as Java tells them. Never throws, whatever it is given. */
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
