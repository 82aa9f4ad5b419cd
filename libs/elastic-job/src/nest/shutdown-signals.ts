import { ShutdownSignal } from '@nestjs/common';

/**
 * Listens for signals that this process handles, such as Nest's after `enableShutdownHooks`. Nest runs its shutdown
 * hooks only after the start is over, so a start that waits must listen itself. Unhandled signals end the process, as
 * ever.
 * @returns a function that stops listening
 */
export function onShutdownSignal(listener: () => void): () => void {
  const signals = Object.values(ShutdownSignal).filter((signal) => process.listenerCount(signal) > 0);
  for (const signal of signals) process.once(signal, listener);
  return () => {
    for (const signal of signals) process.removeListener(signal, listener);
  };
}
