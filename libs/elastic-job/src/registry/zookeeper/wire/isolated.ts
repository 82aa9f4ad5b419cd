/**
 * Calls a listener that must not throw. If it does, the error becomes an uncaught one and the client continues reading.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    throwLater(error);
  }
}

/** Throws an error where nobody can catch it. Thousands of events a second need no closure for `isolated` this way. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
