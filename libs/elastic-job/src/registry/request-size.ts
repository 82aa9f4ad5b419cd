import type { Namespace } from './namespace.js';
import { nodeOperations } from './node-operations.js';
import type { NodeOperation, Operation } from './registry-center.js';

/** Bytes of an ACL with one entry: its count, the permissions, then scheme and id as counted strings. */
const aclBytes = (scheme: string, id: string): number => 4 + 4 + (4 + scheme.length) + (4 + id.length);

/** Bytes of the ACL of a node that every user may change. */
export const OPEN_ACL_BYTES = aclBytes('world', 'anyone');
/** Bytes of the ACL of a node that only its creator may change. */
export const CREATOR_ACL_BYTES = aclBytes('auth', '');

const FRAME_BYTES = 4;
const REQUEST_HEADER_BYTES = 8;
const MULTI_HEADER_BYTES = 9;
const NUMBER_BYTES = 4;

/**
 * Size of a ZooKeeper multi request, in bytes, including the frame's length field.
 *
 * @param aclBytesPerNode `OPEN_ACL_BYTES` or `CREATOR_ACL_BYTES`
 * @param isSingle true for a create, set or delete that is sent alone
 * @see ZooKeeper's zookeeper.jute: RequestHeader, MultiHeader, CreateRequest, SetDataRequest, DeleteRequest,
 * CheckVersionRequest
 */
export function transactionBytes(
  operations: readonly Operation[],
  namespace: Namespace,
  aclBytesPerNode: number,
  isSingle = false,
): number {
  const headerBytes = isSingle ? 0 : MULTI_HEADER_BYTES;
  // One more header marks the end of the operations.
  let bytes = FRAME_BYTES + REQUEST_HEADER_BYTES + headerBytes;
  for (const operation of nodeOperations(operations))
    bytes += headerBytes + recordBytes(operation, namespace, aclBytesPerNode);
  return bytes;
}

function recordBytes(operation: NodeOperation, namespace: Namespace, aclBytesPerNode: number): number {
  const path = NUMBER_BYTES + namespace.absoluteBytes(operation.path);
  switch (operation.kind) {
    case 'create':
      return path + textBytes(operation.data) + aclBytesPerNode + NUMBER_BYTES;
    case 'set':
      return path + textBytes(operation.data) + NUMBER_BYTES;
    case 'delete':
    case 'check':
      return path + NUMBER_BYTES;
    default:
      return operation satisfies never;
  }
}

function textBytes(text: string): number {
  return NUMBER_BYTES + Buffer.byteLength(text, 'utf8');
}
