import type { Clock } from '../../clock/index.js';
import type { RegistryNode } from '../registry-center.js';
import type { RequestOptions } from '../request-options.js';
import { isUnanswered, RegistryUnavailableError } from '../registry.errors.js';
import { fateOf, type LostWrite } from './fate.js';
import type { ZooKeeperClient } from './zookeeper-client.js';

/** A single write, which names one node. */
export interface SingleWrite<T> {
  readonly path: string;
  readonly write: LostWrite;
  readonly send: () => Promise<T>;
  /** Derives the lost answer from the present node. */
  readonly answer: (node: RegistryNode | undefined) => T;
}

/**
 * Sends a write once and never again. If the connection breaks before the answer, the remaining time is used to find
 * out the fate of the write, so that fewer callers get an unknown fate.
 */
export async function sendWrite<T>(
  client: ZooKeeperClient,
  clock: Clock,
  limitMs: number,
  { path, write, send, answer }: SingleWrite<T>,
  options?: RequestOptions,
): Promise<T> {
  const { session } = client;
  const context = { sessionId: session.info.id, lastZxid: session.lastZxid };
  const deadline = clock.monotonicNow() + limitMs;
  try {
    return await send();
  } catch (error) {
    const leftMs = deadline - clock.monotonicNow();
    if (!isUnanswered(error) || error.fate === 'not-applied' || leftMs < 1) throw error;
    const node = await readAfterReconnect(client, path, context.sessionId, { ...options, timeoutMs: leftMs });
    const fate = node ? fateOf(write, node.found, context) : 'unknown';
    if (fate === 'applied') return answer(node?.found);
    if (fate === 'unknown') throw error;
    throw new RegistryUnavailableError(error.operation, fate, 'the connection broke before it arrived', {
      cause: error,
    });
  }
}

/** The node after the lost write, which can then no longer arrive; undefined if that cannot be found out. */
async function readAfterReconnect(
  client: ZooKeeperClient,
  path: string,
  sessionId: string | undefined,
  options: RequestOptions,
): Promise<{ readonly found: RegistryNode | undefined } | undefined> {
  try {
    await client.requests.bounded(`reconnect for ${path}`, client.session.regained(sessionId), options);
    // The server of the new connection may be behind the one that took the write.
    const [, found] = await Promise.all([client.sync(path, options), client.read(path, options)]);
    return { found };
  } catch {
    return undefined;
  }
}
