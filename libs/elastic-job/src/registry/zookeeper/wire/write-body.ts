import type { CreateMode, NodeOperation } from '../../registry-center.js';
import { type AclId, ALL_PERMISSIONS } from './acl.js';
import { OP_CODE } from './client-library.js';
import type { RequestBody } from './request.js';

const NUMBER_BYTES = 4;
const ANY_VERSION = -1;
const CREATE_FLAGS: Readonly<Record<CreateMode, number>> = {
  PERSISTENT: 0,
  EPHEMERAL: 1,
  PERSISTENT_SEQUENTIAL: 2,
  EPHEMERAL_SEQUENTIAL: 3,
  CONTAINER: 4,
};

/** ACL of a created node: one entry in ZooKeeper's format. */
export function aclBytes({ scheme, id }: AclId): Buffer {
  const bytes = Buffer.alloc(2 * NUMBER_BYTES + textBytes(scheme) + textBytes(id));
  let at = bytes.writeInt32BE(ALL_PERMISSIONS, bytes.writeInt32BE(1));
  at += writeText(scheme, bytes, at);
  writeText(id, bytes, at);
  return bytes;
}

/** A write that is sent alone. @param path the server's @param acl ACL of a created node */
export function writeRequest(operation: NodeOperation, path: string, acl: Buffer): RequestBody {
  return {
    opCode: opCodeOf(operation),
    payload: {
      byteLength: () => bodyBytes(operation, path, acl),
      serialize: (buffer, offset) => writeBody(operation, path, acl, buffer, offset),
    },
  };
}

export function opCodeOf(operation: NodeOperation): number {
  switch (operation.kind) {
    case 'check':
      return OP_CODE.CHECK;
    case 'delete':
      return OP_CODE.DELETE;
    case 'set':
      return OP_CODE.SET_DATA;
    case 'create':
      // The newer form of the operation, whose answer has both path and stat.
      return operation.mode === 'CONTAINER' ? OP_CODE.CREATE_CONTAINER : OP_CODE.CREATE2;
    default:
      return operation satisfies never;
  }
}

/** Size of a write without its header. @param path the server's @param acl ACL of a created node */
export function bodyBytes(operation: NodeOperation, path: string, acl: Buffer): number {
  const bytes = textBytes(path) + NUMBER_BYTES;
  switch (operation.kind) {
    case 'check':
    case 'delete':
      return bytes;
    case 'set':
      return bytes + textBytes(operation.data);
    case 'create':
      return bytes + textBytes(operation.data) + acl.length;
    default:
      return operation satisfies never;
  }
}

/**
 * Encodes a write without its header, either alone or as part of a transaction. Written by hand: the library's codec
 * takes some microseconds per record, and every trigger has a dozen of them.
 * @param path the server's
 * @param acl ACL of a created node
 * @returns the number of bytes written
 */
export function writeBody(operation: NodeOperation, path: string, acl: Buffer, buffer: Buffer, offset: number): number {
  let at = offset + writeText(path, buffer, offset);
  switch (operation.kind) {
    case 'check':
    case 'delete':
      return buffer.writeInt32BE(operation.version ?? ANY_VERSION, at) - offset;
    case 'set':
      at += writeText(operation.data, buffer, at);
      return buffer.writeInt32BE(operation.version ?? ANY_VERSION, at) - offset;
    case 'create':
      at += writeText(operation.data, buffer, at);
      at += acl.copy(buffer, at);
      return buffer.writeInt32BE(CREATE_FLAGS[operation.mode], at) - offset;
    default:
      return operation satisfies never;
  }
}

/** Writes a text in ZooKeeper's format. @returns the number of bytes written */
export function writeText(text: string, buffer: Buffer, offset: number): number {
  const bytes = buffer.write(text, offset + 4);
  buffer.writeInt32BE(bytes, offset);
  return 4 + bytes;
}

/** The size of a text in ZooKeeper's format. */
export function textBytes(text: string): number {
  return 4 + Buffer.byteLength(text);
}
