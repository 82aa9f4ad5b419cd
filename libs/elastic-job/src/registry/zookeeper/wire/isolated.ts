/**
 * Calls a listener that must not throw. If it does, the error surfaces as uncaught, and the client reads on unharmed.
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
