import { type Clock, Deadline } from '../clock/index.js';
import type { Ensemble } from './ensemble.js';
import { isNumbered } from './operations.js';
import type {
  NodeOperation,
  OperationResult,
  RegistryNode,
  RequestOptions,
  TransactionResult,
} from './registry-center.js';
import { isUnanswered, RegistryUnavailableError } from './registry.errors.js';

/** A write that names one node. */
export type SingleWrite = Exclude<NodeOperation, { kind: 'check' }>;

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

interface LostWriteContext {
  readonly sessionId: string | undefined;
  /** Latest transaction that the client knew of when it sent the write. A node that is not later existed before. */
  readonly lastZxid: bigint;
}

/**
 * Decides the fate of a write whose reply was lost, as far as the present node shows it. An effect that another client
 * may have caused never counts as our own: if two clients write the same text, at most one may believe that it was the
 * writer.
 *
 * @param node read in the same session, over a later connection, after a sync, so that the lost write cannot still
 * arrive
 */
export function fateOf(
  write: SingleWrite,
  node: RegistryNode | undefined,
  { sessionId, lastZxid }: LostWriteContext,
): 'applied' | 'not-applied' | 'unknown' {
  const isOlder = node !== undefined && node.stat.czxid <= lastZxid;
  switch (write.kind) {
    case 'create': {
      // A sequence number does not tell which client created it.
      if (isNumbered(write.mode) || !node) return 'unknown';
      if (isOlder) return 'not-applied';
      const isOurs = write.mode === 'EPHEMERAL' && node.stat.ephemeralOwner === sessionId && node.data === write.data;
      return isOurs ? 'applied' : 'unknown';
    }
    case 'set':
      return setFate(write, node, lastZxid);
    case 'delete':
      if (!node) return 'applied';
      return isOlder ? 'not-applied' : 'unknown';
    default:
      return write satisfies never;
  }
}

function setFate(
  { data, version }: Extract<SingleWrite, { kind: 'set' }>,
  node: RegistryNode | undefined,
  lastZxid: bigint,
): 'not-applied' | 'unknown' {
  if (!node) return 'unknown';
  if (node.stat.mzxid <= lastZxid) return 'not-applied';
  // Exactly one write leads from the expected version to the next, and it was another client's.
  const isOthers = node.stat.czxid <= lastZxid && node.stat.version - 1 === version && node.data !== data;
  return isOthers ? 'not-applied' : 'unknown';
}
