import type { Clock } from '../clock/index.js';
import type { RegistryCenter } from './registry-center.js';
import { isRegistryFailure, NoNodeError, SessionLostError } from './registry.errors.js';
import { retry } from './retry.js';

/**
 * Deletes a node, for as long as it takes: through reconnects and new sessions, until it is gone or the registry center
 * is closed. For what must not be left behind, such as a latch that nobody holds any more. Usually not awaited.
 *
 * @throws {NotEmptyError} @throws {NoAuthError}: what waiting does not change
 * @see Curator, "guaranteed deletes"
 */
export async function guaranteedDelete(registry: RegistryCenter, clock: Clock, path: string): Promise<void> {
  const isRepeated = (error: unknown) => isRegistryFailure(error) || error instanceof SessionLostError;
  try {
    await retry(registry, clock, () => registry.delete(path), { isRepeated });
  } catch (error) {
    const isClosed = registry.session.state === undefined;
    if (!(error instanceof NoNodeError) && !isClosed) throw error;
  }
}
