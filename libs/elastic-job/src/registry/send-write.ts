import { type Clock, Deadline } from '../clock/index.js';
import type { Ensemble } from './ensemble.js';
import { fateOf, type SingleWrite } from './fate.js';
import type { OperationResult, RegistryNode, TransactionResult } from './registry-center.js';
import type { RequestOptions } from './request-options.js';
import { isUnanswered, RegistryUnavailableError } from './registry.errors.js';

/** Part of an ensemble that a write needs. */
export type WritableEnsemble = Pick<
  Ensemble,
  'lastZxid' | 'readMany' | 'requestTimeoutMs' | 'session' | 'sync' | 'transaction'
>;

/**
 * Sends a write once and never again. If the connection breaks before the answer, the remaining time is used to find
 * out the fate of the write, so that fewer callers get an unknown fate.
 */
export async function sendWrite(
  ensemble: WritableEnsemble,
  clock: Clock,
  write: SingleWrite,
  options?: RequestOptions,
): Promise<TransactionResult> {
  const { lastZxid } = ensemble;
  const { id: sessionId } = ensemble.session;
  const deadline = Deadline.after(clock, options?.timeoutMs ?? ensemble.requestTimeoutMs);
  try {
    return await ensemble.transaction([write], options, true);
  } catch (error) {
    const isUnclear = isUnanswered(error) && error.fate !== 'not-applied';
    if (lastZxid === undefined || !isUnclear || deadline.leftMs < 1) throw error;
    const limits = () => ({ ...options, timeoutMs: deadline.leftMs });
    const node = await readAfterReconnect(ensemble, write.path, sessionId, limits);
    const fate = node ? fateOf(write, node.found, { sessionId, lastZxid }) : 'unknown';
    if (fate === 'applied') return { kind: 'committed', results: [resultOf(write)] };
    if (fate === 'unknown') throw error;
    throw new RegistryUnavailableError(error.operation, fate, 'the connection broke before it arrived', {
      cause: error,
    });
  }
}

/** The node after the lost write, which can then no longer arrive; undefined if that cannot be found out. */
async function readAfterReconnect(
  ensemble: WritableEnsemble,
  path: string,
  sessionId: string | undefined,
  limits: () => RequestOptions,
): Promise<{ readonly found: RegistryNode | undefined } | undefined> {
  if (ensemble.session.id !== sessionId) return undefined;
  try {
    // The server of the new connection may be behind the one that took the write.
    await ensemble.sync(limits());
    const [found] = await ensemble.readMany([path], limits(), 'read');
    return ensemble.session.id === sessionId ? { found } : undefined;
  } catch {
    return undefined;
  }
}

/** The answer to a create or delete that is known to be applied. */
function resultOf(write: SingleWrite): OperationResult {
  return write.kind === 'create' ? { kind: 'create', path: write.path } : { kind: 'delete' };
}
