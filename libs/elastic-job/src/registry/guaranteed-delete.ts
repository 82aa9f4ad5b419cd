import type { Clock } from '../clock/index.js';
import type { RegistryCenter } from './registry-center.js';
import { NoNodeError, RegistryUnavailableError, SessionLostError } from './registry.errors.js';

/** Between attempts while the registry seems to be there and does not answer, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * Deletes a node, for as long as it takes: through reconnects and new sessions, until it is gone or the registry center
 * is closed. For what must not be left behind, such as a latch that nobody holds any more. Usually not awaited.
 *
 * @throws {NotEmptyError} @throws {NoAuthError}: what waiting does not change
 * @see Curator, "guaranteed deletes"
 */
export async function guaranteedDelete(registry: RegistryCenter, clock: Clock, path: string): Promise<void> {
  for (;;) {
    try {
      return await registry.delete(path);
    } catch (error) {
      if (error instanceof NoNodeError) return;
      if (!(error instanceof RegistryUnavailableError || error instanceof SessionLostError)) throw error;
      if (!(await answersAgain(registry, clock))) return;
    }
  }
}

/** Waits for a change of the session, or for some time if it seems to be fine. @returns false if the registry center is closed */
export async function answersAgain(registry: RegistryCenter, clock: Clock): Promise<boolean> {
  const { state } = registry.session;
  if (state === undefined) return false;
  await new Promise<void>((resolve) => {
    const end = () => {
      stop();
      timer?.cancel();
      resolve();
    };
    const stop = registry.onSession(end);
    const timer = state === 'SUSPENDED' || state === 'LOST' ? undefined : clock.setTimer(PAUSE_MS, end);
  });
  return registry.session.state !== undefined;
}
