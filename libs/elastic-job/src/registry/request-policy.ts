import { type Clock, waitFor } from '../clock/index.js';
import { BackOff, type BackOffOptions, repeat, type RepeatPolicy } from '../repeat/index.js';
import type { RegistryCenter } from './registry-center.js';
import { isRegistryFailure, isUnanswered, NoNodeError, SessionLostError } from './registry.errors.js';

/** Pauses in milliseconds while the registry is connected but does not serve the request. */
const PAUSES: BackOffOptions = { firstMs: 20, longestMs: 5_000, withoutPause: 1 };

/** A policy whose pauses a caller may use without `repeat`. */
export type RequestPolicy = RepeatPolicy & Required<Pick<RepeatPolicy, 'backOff' | 'wait'>>;

interface RequestPolicyOptions extends Pick<RepeatPolicy, 'isRepeated' | 'onFailure'> {
  readonly signal: AbortSignal | undefined;
  readonly pauses?: BackOffOptions;
}

/**
 * Repeats requests without an answer: those whose reply was lost, and those that were not sent. A refusal is thrown.
 *
 * Without a connection, the next attempt waits until it is back. After a broken connection the first repetition comes
 * at once, as the connection may be back already. A registry that keeps failing is asked again after a back-off. Once
 * the registry center is closed the last error is thrown.
 */
export function untilServed(
  registry: RegistryCenter,
  clock: Clock,
  { signal, isRepeated = isUnanswered, onFailure, pauses = PAUSES }: RequestPolicyOptions,
): RequestPolicy {
  const backOff = new BackOff(clock, pauses);
  return { signal, backOff, isRepeated, onFailure, wait: () => servedAgain(registry, backOff, signal) };
}

/**
 * Waits for the connection, or with one for the pause.
 * @returns false if the registry center is closed @throws the signal's reason
 */
async function servedAgain(
  registry: RegistryCenter,
  backOff: BackOff,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { state } = registry.session;
  if (state === undefined) return false;
  if (state === 'SUSPENDED' || state === 'LOST') {
    await waitFor((goOn) => registry.onSession(goOn), { signals: [signal] });
  } else {
    backOff.failed();
    await backOff.pause(signal);
    signal?.throwIfAborted(); // Also if the registry center was closed meanwhile.
  }
  return registry.session.state !== undefined;
}

/**
 * Deletes a node and keeps trying, through reconnects and new sessions, until it is gone or the registry center is
 * closed. Use it for nodes that must not stay behind, such as the node of a released latch. Usually not awaited.
 *
 * @throws {NotEmptyError} if the node has children
 * @throws {NoAuthError} if this client may not delete it
 * @see Curator, "guaranteed deletes"
 */
export async function guaranteedDelete(registry: RegistryCenter, clock: Clock, path: string): Promise<void> {
  const isRepeated = (error: unknown) => isRegistryFailure(error) || error instanceof SessionLostError;
  try {
    await repeat(untilServed(registry, clock, { signal: undefined, isRepeated }), () => registry.delete(path));
  } catch (error) {
    const isClosed = registry.session.state === undefined;
    if (!(error instanceof NoNodeError) && !isClosed) throw error;
  }
}
