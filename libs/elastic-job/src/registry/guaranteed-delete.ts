import type { Clock } from '../clock/index.js';
import type { RegistryCenter } from './registry-center.js';
import { isRegistryFailure, NoNodeError, SessionLostError } from './registry.errors.js';
import { untilServed } from './request-policy.js';
import { repeat } from '../repeat/index.js';

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
