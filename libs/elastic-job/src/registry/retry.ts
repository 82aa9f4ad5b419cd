import { BackOff, type BackOffOptions, type Clock, waitFor } from '../clock/index.js';
import type { RegistryCenter } from './registry-center.js';
import { isUnanswered } from './registry.errors.js';

/** Pauses in milliseconds while the registry is connected but does not serve the request. */
const PAUSES: BackOffOptions = { firstMs: 20, longestMs: 5_000 };

/**
 * Pauses between repeated requests. Without a connection, the pause lasts until it is back. After a broken connection
 * the first repetition comes at once, as the connection may be back already. A registry that keeps refusing is asked
 * again after a back-off.
 */
export class RequestPauses {
  private readonly backOff: BackOff;
  private isFirst = true;

  constructor(
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
    pauses = PAUSES,
  ) {
    this.backOff = new BackOff(clock, pauses);
  }

  /** Resets the pauses after a success. */
  succeeded(): void {
    this.isFirst = true;
    this.backOff.succeeded();
  }

  /** Waits before the next attempt. @returns false if the registry center is closed @throws the signal's reason */
  async pause(signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    const { state } = this.registry.session;
    if (state === undefined) return false;
    if (state === 'SUSPENDED' || state === 'LOST') {
      await waitFor<void>((goOn) => this.registry.onSession(() => goOn()), signal);
    } else if (!this.isFirst) {
      this.backOff.failed();
      await this.clock.sleep(this.backOff.nextMs(), signal);
    }
    this.isFirst = false;
    return this.registry.session.state !== undefined;
  }
}

interface RetryOptions {
  /** Ends the repetition. */
  readonly signal?: AbortSignal;
  /** Selects the errors that another attempt may overcome. @default `isUnanswered` */
  readonly isRepeated?: (error: unknown) => boolean;
  /** Hears the error of each attempt that will be repeated. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Repeats work on the registry until it succeeds. This is the one place in which requests are repeated.
 * @param work must read before it writes, so that it finds its own write done if only the reply was lost
 * @throws an error that must not be repeated, the signal's reason, or the last error once the registry center is closed
 */
export async function retry<T>(
  registry: RegistryCenter,
  clock: Clock,
  work: (attempt: number) => Promise<T>,
  { signal, isRepeated = isUnanswered, onFailure }: RetryOptions = {},
): Promise<T> {
  const pauses = new RequestPauses(registry, clock);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isRepeated(error)) throw error;
      signal?.throwIfAborted();
      onFailure?.(error);
      if (!(await pauses.pause(signal))) throw error;
    }
  }
}
