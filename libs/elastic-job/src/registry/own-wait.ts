import { type Clock, waitFor } from '../clock/index.js';
import type { RequestOptions } from './registry-center.js';
import { RegistryUnavailableError } from './registry.errors.js';

type Answer<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Waits for an answer that others wait for as well: the signal and the limit end this wait, and nobody else's.
 * @param operation what is asked for, in the words of an error
 * @throws {RegistryUnavailableError} after `timeoutMs`; without it the answer's own deadline has to do
 * @throws the signal's reason, and what `shared` rejects with
 */
export async function ownWait<T>(
  shared: Promise<T>,
  clock: Clock,
  operation: string,
  { signal, timeoutMs }: RequestOptions = {},
): Promise<T> {
  const answer = await waitFor<Answer<T>>((conclude) => {
    shared.then(
      (value) => conclude({ value }),
      (error: unknown) => conclude({ error }),
    );
    if (timeoutMs === undefined) return () => {};
    const late = () => new RegistryUnavailableError(operation, 'unknown', `no answer within ${timeoutMs} ms`);
    const timer = clock.setTimer(timeoutMs, () => conclude({ error: late() }));
    return () => timer.cancel();
  }, signal);
  if ('error' in answer) throw answer.error;
  return answer.value;
}
