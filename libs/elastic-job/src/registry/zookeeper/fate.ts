import type { CreateMode, RegistryNode } from '../registry-center.js';

/** A single write that was sent and not answered. */
export type LostWrite =
  | { readonly kind: 'create'; readonly data: string; readonly mode: CreateMode }
  | { readonly kind: 'set'; readonly data: string; readonly version: number | undefined }
  | { readonly kind: 'delete' };

interface LostWriteContext {
  readonly sessionId: string | undefined;
  /** The latest transaction that the client knew of when it sent the write: what is not later was there before. */
  readonly lastZxid: bigint;
}

/**
 * What became of a write whose reply was lost, as far as the node tells that is there now. What another client may have
 * done as well is never taken for our own doing: two clients that write the same text must not both believe that they
 * were the one.
 *
 * @param node read in the same session, over a later connection, after a sync: the lost write is not under way any more
 */
export function fateOf(
  write: LostWrite,
  node: RegistryNode | undefined,
  { sessionId, lastZxid }: LostWriteContext,
): 'applied' | 'not-applied' | 'unknown' {
  const isOlder = node !== undefined && node.stat.czxid <= lastZxid;
  switch (write.kind) {
    case 'create': {
      // Whose number it was, nobody can tell.
      if (write.mode.endsWith('_SEQUENTIAL') || !node) return 'unknown';
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
  { data, version }: Extract<LostWrite, { kind: 'set' }>,
  node: RegistryNode | undefined,
  lastZxid: bigint,
): 'not-applied' | 'unknown' {
  if (!node) return 'unknown';
  if (node.stat.mzxid <= lastZxid) return 'not-applied';
  // Just one write leads from the expected version to the next, and it was another one.
  const isOthers = node.stat.czxid <= lastZxid && node.stat.version - 1 === version && node.data !== data;
  return isOthers ? 'not-applied' : 'unknown';
}
