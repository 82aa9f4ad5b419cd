import { isNumbered } from './creation.js';
import type { NodeOperation, RegistryNode } from './registry-center.js';

/** A write that names one node. */
export type SingleWrite = Exclude<NodeOperation, { kind: 'check' }>;

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
