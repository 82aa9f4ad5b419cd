import type { ElasticJobError } from '../../../domain/index.js';
import type { NodeOperation, NodeStat, Refusal } from '../../registry-center.js';
import { refusalError, serverError } from '../../request-errors.js';
import type { AclEntry, AclId } from './acl.js';
import { type Jute, type JuteRecordType, OP_CODE, recordType } from './client-library.js';
import {
  type MultiAnswer,
  multiPayload,
  multiReadPayload,
  type NodeFound,
  type NodeRead,
  readMultiReadReply,
  readMultiReply,
  readResult,
} from './multi.js';
import type { ReplyReader } from './reply-reader.js';
import type { Reply, Request } from './request.js';
import { aclBytes, writeRequest } from './write-body.js';

interface NodeContent {
  readonly data: string;
  readonly stat: NodeStat;
}

/** Paths by how they are watched. */
export interface WatchedPaths {
  readonly recursive: string[];
  readonly single: string[];
}

const REFUSALS: ReadonlyMap<number, Refusal> = new Map([
  [-101, 'NO_NODE'],
  [-103, 'BAD_VERSION'],
  [-108, 'NO_CHILDREN_FOR_EPHEMERALS'],
  [-110, 'NODE_EXISTS'],
  [-111, 'NOT_EMPTY'],
]);

/** The refusal for a server's code, or undefined for a code that the port does not know. */
export function refusalOf(code: number): Refusal | undefined {
  return REFUSALS.get(code);
}

/** Error for a code with which the server refuses a request. */
export function errorOf(operation: string, path: string, code: number): ElasticJobError {
  const refusal = refusalOf(code);
  return refusal ? refusalError(refusal, path) : serverError(code, operation, path);
}

/** Value of a reply. @throws the error of the refusal */
export function valueOf<T>(operation: string, path: string, reply: Reply<T>): T {
  if (reply.kind === 'ok') return reply.value;
  throw errorOf(operation, path, reply.code);
}

/** The server does not know the operation: it is too old, or the operation is disabled. */
export const UNIMPLEMENTED = -6;
/** The server closes the session because the client has not authenticated, or not by a required scheme. */
export const UNAUTHENTICATED = -124;

const PERSISTENT = 0;
const PERSISTENT_RECURSIVE = 1;
const ANY_WATCHER = 3;

const nothing = (): void => {};

/** A node's ACL, and the transaction that created the node, which tells it from other nodes of the same path. */
interface NodeAcl {
  readonly entries: readonly AclEntry[];
  readonly czxid: bigint;
}

/** Encodes requests with the client library's codec. Paths are the server's. */
export class Protocol {
  private readonly acl: Buffer;
  private readonly PathRequest: JuteRecordType;
  private readonly TokenRequest: JuteRecordType;
  private readonly PathAndNumberRequest: JuteRecordType;
  private readonly SetWatches2: JuteRecordType;

  /** @param creatorOnly true if created nodes belong to the authenticated user alone, false if to everyone */
  constructor(
    private readonly jute: Jute,
    creatorOnly: boolean,
  ) {
    this.acl = aclBytes(creatorOnly ? { scheme: 'auth', id: '' } : { scheme: 'world', id: 'anyone' });
    const path = { name: 'path', type: 'ustring' } as const;
    this.PathRequest = recordType(jute, [path]);
    this.TokenRequest = recordType(jute, [{ name: 'token', type: 'buffer' }]);
    this.PathAndNumberRequest = recordType(jute, [path, { name: 'number', type: 'int' }]);
    this.SetWatches2 = recordType(jute, [
      { name: 'relativeZxid', type: 'long' },
      { name: 'data', type: 'vector<ustring>' },
      { name: 'exist', type: 'vector<ustring>' },
      { name: 'child', type: 'vector<ustring>' },
      { name: 'persistent', type: 'vector<ustring>' },
      { name: 'persistentRecursive', type: 'vector<ustring>' },
    ]);
  }

  node(path: string): Request<NodeContent> {
    const payload = new this.jute.protocol.GetDataRequest(path, false);
    return { opCode: OP_CODE.GET_DATA, payload, read: (reply) => ({ data: reply.text(), stat: reply.stat() }) };
  }

  exists(path: string): Request<NodeStat> {
    const payload = new this.jute.protocol.ExistsRequest(path, false);
    return { opCode: OP_CODE.EXISTS, payload, read: (reply) => reply.stat() };
  }

  children(path: string): Request<readonly string[]> {
    const payload = new this.jute.protocol.GetChildren2Request(path, false);
    return { opCode: OP_CODE.GET_CHILDREN2, payload, read: (reply) => reply.texts() };
  }

  getAcl(path: string): Request<NodeAcl> {
    return {
      opCode: OP_CODE.GET_ACL,
      payload: new this.PathRequest(path),
      read: (reply) => {
        const entries = reply.list(() => ({ permissions: reply.int(), scheme: reply.text(), id: reply.text() }));
        return { entries, czxid: reply.stat().czxid };
      },
    };
  }

  /** Ids by which the server knows this connection; for a digest only the user's name. Since version 3.7. */
  whoAmI(): Request<readonly AclId[]> {
    const read = (reply: ReplyReader) => reply.list(() => ({ scheme: reply.text(), id: reply.text() }));
    return { opCode: OP_CODE.WHO_AM_I, payload: null, read };
  }

  /** One step of SASL, which the server answers with its own token. */
  sasl(token: Buffer): Request<Buffer> {
    return { opCode: OP_CODE.SASL, payload: new this.TokenRequest(token), read: (reply) => reply.bytes() };
  }

  /** A create, set or delete without a transaction. It answers as a transaction does. @param path the server's */
  single(operation: NodeOperation, path: string): Request<MultiAnswer> {
    const { opCode, payload } = writeRequest(operation, path, this.acl);
    const read = (reply: ReplyReader): MultiAnswer => ({
      kind: 'committed',
      results: [readResult(operation, opCode, reply)],
    });
    return { opCode, payload, read };
  }

  /** @param paths the server's, one for each operation */
  multi(operations: readonly NodeOperation[], paths: readonly string[]): Request<MultiAnswer> {
    const payload = multiPayload(operations, paths, this.acl);
    return { opCode: OP_CODE.MULTI, payload, read: (reply) => readMultiReply(operations, reply) };
  }

  multiRead(reads: readonly NodeRead[]): Request<readonly NodeFound[]> {
    const payload = multiReadPayload(reads);
    return { opCode: OP_CODE.MULTI_READ, payload, read: (reply) => readMultiReadReply(reads, reply) };
  }

  /**
   * Watches a path, or everything at and below it, for the life of the connection. The path need not exist. A second
   * watch on a path replaces the first.
   */
  addWatch(path: string, isRecursive: boolean): Request<void> {
    const payload = new this.PathAndNumberRequest(path, isRecursive ? PERSISTENT_RECURSIVE : PERSISTENT);
    return { opCode: OP_CODE.ADD_WATCH, payload, read: nothing };
  }

  /** Removes every watch of this connection on exactly this path. */
  removeWatches(path: string): Request<void> {
    const payload = new this.PathAndNumberRequest(path, ANY_WATCHER);
    return { opCode: OP_CODE.REMOVE_WATCHES, payload, read: nothing };
  }

  /** Adds the same watches as `addWatch`, many at once. */
  setWatches({ recursive, single }: WatchedPaths): Request<void> {
    const payload = new this.SetWatches2(undefined, [], [], [], single, recursive);
    return { opCode: OP_CODE.SET_WATCHES2, payload, read: nothing };
  }

  closeSession(): Request<void> {
    return { opCode: OP_CODE.CLOSE_SESSION, payload: null, read: nothing };
  }
}
