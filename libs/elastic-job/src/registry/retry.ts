import { BackOff, type BackOffOptions, type Clock, waitFor } from '../clock/index.js';
import type { RegistryCenter } from './registry-center.js';
import { isUnanswered } from './registry.errors.js';

/** Pauses while a registry that is there does not do what it is asked for, in milliseconds. */
const PAUSES: BackOffOptions = { firstMs: 20, longestMs: 5_000 };

/**
 * The pauses between repeated requests. Without a connection its return ends the pause. A connection that has broken
 * may be back already, so the first repetition comes at once; a registry that goes on refusing is asked again after a
 * back-off.
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

  /** The registry has done what it was asked for: the next pause is the first one again. */
  succeeded(): void {
    this.isFirst = true;
    this.backOff.succeeded();
  }

  /** @returns false if the registry center is closed @throws the signal's reason */
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
  /** What another attempt may mend. @default `isUnanswered` */
  readonly isRepeated?: (error: unknown) => boolean;
  /** Hears why an attempt has failed that is repeated. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Does work that asks the registry, again and again until it succeeds: the one place in which requests are repeated.
 * @param work looks before it writes: what was written although the reply was lost is found done
 * @throws what is not to be repeated, the signal's reason, and the last error once the registry center is closed
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
