import type { CreateMode, Operation } from '../../registry-center.js';
import { type AclId, ALL_PERMISSIONS } from './acl.js';
import { OP_CODE } from './op-code.js';
import { type RequestBody, textBytes, writeText } from './request.js';

/** An operation that may be part of a transaction. */
export type WriteBody = RequestBody & { readonly payload: NonNullable<RequestBody['payload']> };

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

/**
 * Encodes a write, either alone or as part of a transaction. Written by hand: the library's codec takes some
 * microseconds per record, and every trigger has a dozen of them.
 * @param acl ACL of a created node
 */
export function writeBody(operation: Operation, acl: Buffer): WriteBody {
  const { path } = operation;
  switch (operation.kind) {
    case 'check':
      return versioned(OP_CODE.CHECK, path, operation.version);
    case 'delete':
      return versioned(OP_CODE.DELETE, path, operation.version);
    case 'set':
      return setBody(path, operation.data, operation.version);
    case 'create':
      return createBody(path, operation.data, operation.mode, acl);
    default:
      return operation satisfies never;
  }
}

function versioned(opCode: number, path: string, version = ANY_VERSION): WriteBody {
  return {
    opCode,
    payload: {
      byteLength: () => textBytes(path) + NUMBER_BYTES,
      serialize: (buffer, offset) => {
        const at = offset + writeText(path, buffer, offset);
        return buffer.writeInt32BE(version, at) - offset;
      },
    },
  };
}

function setBody(path: string, data: string, version = ANY_VERSION): WriteBody {
  return {
    opCode: OP_CODE.SET_DATA,
    payload: {
      byteLength: () => textBytes(path) + textBytes(data) + NUMBER_BYTES,
      serialize: (buffer, offset) => {
        let at = offset + writeText(path, buffer, offset);
        at += writeText(data, buffer, at);
        return buffer.writeInt32BE(version, at) - offset;
      },
    },
  };
}

function createBody(path: string, data: string, mode: CreateMode, acl: Buffer): WriteBody {
  return {
    // The newer form of the operation, whose answer has both path and stat.
    opCode: mode === 'CONTAINER' ? OP_CODE.CREATE_CONTAINER : OP_CODE.CREATE2,
    payload: {
      byteLength: () => textBytes(path) + textBytes(data) + acl.length + NUMBER_BYTES,
      serialize: (buffer, offset) => {
        let at = offset + writeText(path, buffer, offset);
        at += writeText(data, buffer, at);
        at += acl.copy(buffer, at);
        return buffer.writeInt32BE(CREATE_FLAGS[mode], at) - offset;
      },
    },
  };
}
