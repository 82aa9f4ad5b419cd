import { ShutdownSignal } from '@nestjs/common';
import type { Clock } from '../clock/index.js';
import { inService } from './in-service.js';

/** Time after the start in which an application has set its listeners, in milliseconds. */
const LISTENS_AFTER_MS = 5_000;

const UNHEARD =
  'nobody listens to SIGTERM, so it ends this process in the middle of its runs; ' +
  'call app.enableShutdownHooks() in main.ts, or app.close() in a handler of your own';

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

/**
 * Warns if nobody listens to SIGTERM some seconds after the start: the process would end without a drain.
 * @returns a function that ends the wait
 */
export function warnIfUnheard(clock: Clock, warn: (message: string) => void): () => void {
  return inService(clock, LISTENS_AFTER_MS, () => {
    if (process.listenerCount('SIGTERM') === 0) warn(UNHEARD);
  });
}
