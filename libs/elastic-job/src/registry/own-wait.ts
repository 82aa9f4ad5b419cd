import { type Clock, onAbort } from '../clock/index.js';
import type { RequestOptions } from './registry-center.js';
import { RegistryUnavailableError } from './registry.errors.js';

/** A caller that waits for an answer which others wait for as well. */
export interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
  /** It has its answer, or waits no more. */
  isOver: boolean;
}

/**
 * Waits for a shared answer. The signal and the limit end this wait, and nobody else's.
 * @param operation the request, in the words of an error
 * @param enter takes the waiter in, and answers it later
 * @throws {RegistryUnavailableError} after `timeoutMs`; without it the limit of the shared request has to do
 * @throws the signal's reason, and what the waiter is rejected with
 */
export function ownWait<T>(
  clock: Clock,
  operation: string,
  { signal, timeoutMs }: RequestOptions,
  enter: (waiter: Waiter<T>) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      waiter.isOver = true;
      off?.();
      timer?.cancel();
    };
    const waiter: Waiter<T> = {
      isOver: false,
      resolve: (value) => {
        end();
        resolve(value);
      },
      reject: (error) => {
        end();
        reject(error);
      },
    };
    const abort = () => waiter.reject(signal?.reason);
    const expire = () =>
      waiter.reject(new RegistryUnavailableError(operation, 'unknown', `no answer within ${timeoutMs} ms`));
    const timer = timeoutMs === undefined ? undefined : clock.setTimer(timeoutMs, expire);
    const off = signal && onAbort(signal, abort);
    enter(waiter);
  });
}
