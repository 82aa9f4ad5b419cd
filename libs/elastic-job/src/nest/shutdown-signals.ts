import { ShutdownSignal } from '@nestjs/common';

/**
 * Hears the signals that somebody in this process acts upon, such as Nest after `enableShutdownHooks`. Nest runs its
 * shutdown hooks only after the start is over, so a start that waits has to hear of them itself. Signals on which
 * nobody acts end the process, as ever.
 * @returns a function that ends it
 */
export function onShutdownSignal(listener: () => void): () => void {
  const signals = Object.values(ShutdownSignal).filter((signal) => process.listenerCount(signal) > 0);
  for (const signal of signals) process.once(signal, listener);
  return () => {
    for (const signal of signals) process.removeListener(signal, listener);
  };
}
