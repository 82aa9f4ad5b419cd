import { type Clock, onAbort } from '../../clock/index.js';
import { serverError } from '../refusal-error.js';
import type { RequestOptions } from '../request-options.js';
import { RegistryUnavailableError } from '../registry.errors.js';
import type { MemoryLink, NO_ANSWER } from './memory-link.js';

/** Replaces an answer by an error code. The server may or may not have served the request. */
export class UnservedRequest {
  /** @param code ZooKeeper's error number */
  constructor(readonly code: number) {}
}

/** A client's requests without an answer so far. Each of them ends, with or without its answer. */
export class PendingRequests {
  private readonly pending = new Set<(why: string) => void>();

  /** @param longestMs longest wait for an answer, for requests that set no limit */
  constructor(
    private readonly link: MemoryLink,
    private readonly clock: Clock,
    private readonly longestMs: number,
  ) {}

  /**
   * Sends a request. `answer` runs at the server, `receive` here, in the order of the link and before the promise
   * resolves.
   * @throws the error of an `UnservedRequest`
   * @throws {RegistryUnavailableError} with fate `unknown` if no answer came in time, or if `fail` is called first
   */
  send<A, T>(
    operation: string,
    answer: () => A | typeof NO_ANSWER,
    receive: (answer: A) => T,
    { signal, timeoutMs = this.longestMs }: RequestOptions = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        timer.cancel();
        off?.();
        this.pending.delete(giveUp);
      };
      const abort = () => {
        end();
        reject(signal?.reason);
      };
      const giveUp = (why: string) => {
        end();
        reject(new RegistryUnavailableError(operation, 'unknown', why));
      };
      const timer = this.clock.setTimer(timeoutMs, () => giveUp(`no answer within ${timeoutMs} ms`));
      const off = signal && onAbort(signal, abort);
      this.pending.add(giveUp);
      this.link.ask(answer, (given) => {
        if (!this.pending.has(giveUp)) return;
        end();
        if (given instanceof UnservedRequest) return reject(serverError(given.code, operation));
        try {
          resolve(receive(given));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Ends all requests without an answer. */
  fail(why: string): void {
    for (const giveUp of this.pending) giveUp(why);
  }
}
