import { type Clock, onAbort, type Timer } from '../clock/index.js';
import type { RequestOptions } from './registry-center.js';
import { RegistryUnavailableError } from './registry.errors.js';

/** A caller that waits for an answer which others wait for as well. */
export interface Waiter<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
  /** It has its answer, or waits no more. */
  readonly isOver: boolean;
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
    const waiter = new OwnWait(resolve, reject);
    if (signal) waiter.off = onAbort(signal, () => waiter.reject(signal.reason));
    if (timeoutMs !== undefined) {
      const cause = `no answer within ${timeoutMs} ms`;
      const expire = () => waiter.reject(new RegistryUnavailableError(operation, 'unknown', cause));
      waiter.timer = clock.setTimer(timeoutMs, expire);
    }
    enter(waiter);
  });
}

class OwnWait<T> implements Waiter<T> {
  isOver = false;
  /** Ends the wait for the signal. */
  off: (() => void) | undefined;
  /** Of the limit. */
  timer: Timer | undefined;

  constructor(
    private readonly onAnswer: (value: T) => void,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  resolve(value: T): void {
    this.end();
    this.onAnswer(value);
  }

  reject(error: unknown): void {
    this.end();
    this.onFailure(error);
  }

  private end(): void {
    this.isOver = true;
    this.off?.();
    this.timer?.cancel();
  }
}
