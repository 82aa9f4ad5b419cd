/**
 * Calls a listener that must not throw. If it does, the error becomes an uncaught one and the client continues reading.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
