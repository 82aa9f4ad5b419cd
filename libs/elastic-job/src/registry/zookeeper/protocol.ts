import type { CreateMode, NodeStat, Operation, OperationResult, Refusal } from '../registry-center.js';
import type { Jute, JuteOperation, JuteRecord, JuteReply, JuteResult, JuteStat } from './client-library.js';

/** A request as it is sent, and how its reply is read. Paths are absolute. */
export interface Request<T> {
  readonly opCode: number;
  readonly payload: JuteRecord | null;
  readonly receive: (reply: JuteReply) => T;
}

/** What the server replied. */
export type Reply<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'refused'; readonly code: number };

/** `dropped`: the connection ended before the reply came, so nobody knows whether the request was applied. */
export type Answer<T> = Reply<T> | { readonly kind: 'dropped' };

export interface NodeContent {
  readonly data: string;
  readonly stat: NodeStat;
}

export type MultiAnswer =
  | { readonly kind: 'committed'; readonly results: readonly OperationResult[] }
  | { readonly kind: 'refused'; readonly index: number; readonly code: number };

const REFUSALS: ReadonlyMap<number, Refusal> = new Map([
  [-101, 'NO_NODE'],
  [-102, 'NO_AUTH'],
  [-103, 'BAD_VERSION'],
  [-108, 'NO_CHILDREN_FOR_EPHEMERALS'],
  [-110, 'NODE_EXISTS'],
  [-111, 'NOT_EMPTY'],
]);

/** The refusal that a code of the server means, or undefined if it is none that the port knows. */
export function refusalOf(code: number): Refusal | undefined {
  return REFUSALS.get(code);
}

/** The operations of a refused transaction before the one that failed have 0, those after it -2. */
const NOT_TO_BLAME: ReadonlySet<number> = new Set([0, -2]);

const CONTAINER_OWNER = 1n << 63n;
const TTL_OWNER_BYTE = 0xff;

const ANY_VERSION = -1;
const ALL_PERMISSIONS = 31;
const CREATE_FLAGS: Readonly<Record<CreateMode, number>> = {
  PERSISTENT: 0,
  EPHEMERAL: 1,
  PERSISTENT_SEQUENTIAL: 2,
  EPHEMERAL_SEQUENTIAL: 3,
};

/**
 * Writes requests and reads replies with the client's codec. Its own Transaction takes version 0 for "any version", so
 * transactions are put together here.
 */
export class Protocol {
  private readonly acl: JuteRecord;

  /** @param creatorOnly whether created nodes belong to the authenticated user alone, or to everybody */
  constructor(
    private readonly jute: Jute,
    creatorOnly: boolean,
  ) {
    const [scheme, id] = creatorOnly ? ['auth', ''] : ['world', 'anyone'];
    this.acl = new jute.data.ACL(ALL_PERMISSIONS, new jute.data.Id(scheme, id));
  }

  node(path: string, watch = false): Request<NodeContent> {
    return {
      opCode: this.jute.OP_CODES.GET_DATA,
      payload: new this.jute.protocol.GetDataRequest(path, watch),
      receive: ({ data, stat }) => ({ data: data?.toString() ?? '', stat: readStat(stat) }),
    };
  }

  exists(path: string, watch = false): Request<NodeStat> {
    return {
      opCode: this.jute.OP_CODES.EXISTS,
      payload: new this.jute.protocol.ExistsRequest(path, watch),
      receive: ({ stat }) => readStat(stat),
    };
  }

  children(path: string, watch = false): Request<readonly string[]> {
    return {
      opCode: this.jute.OP_CODES.GET_CHILDREN2,
      payload: new this.jute.protocol.GetChildren2Request(path, watch),
      receive: ({ children }) => children ?? [],
    };
  }

  create(path: string, data: string, mode: CreateMode): Request<string> {
    return {
      opCode: this.jute.OP_CODES.CREATE,
      payload: new this.jute.protocol.CreateRequest(path, Buffer.from(data), [this.acl], CREATE_FLAGS[mode]),
      receive: ({ path: created }) => created,
    };
  }

  set(path: string, data: string, version = ANY_VERSION): Request<NodeStat> {
    return {
      opCode: this.jute.OP_CODES.SET_DATA,
      payload: new this.jute.protocol.SetDataRequest(path, Buffer.from(data), version),
      receive: ({ stat }) => readStat(stat),
    };
  }

  delete(path: string, version = ANY_VERSION): Request<void> {
    return {
      opCode: this.jute.OP_CODES.DELETE,
      payload: new this.jute.protocol.DeleteRequest(path, version),
      receive: () => {},
    };
  }

  multi(operations: readonly Operation[]): Request<MultiAnswer> {
    return {
      opCode: this.jute.OP_CODES.MULTI,
      payload: new this.jute.TransactionRequest(operations.map((operation) => this.juteOperation(operation))),
      receive: ({ results }) => this.readResults(operations, results),
    };
  }

  closeSession(): Request<void> {
    return { opCode: this.jute.OP_CODES.CLOSE_SESSION, payload: null, receive: () => {} };
  }

  private juteOperation(operation: Operation): JuteOperation {
    const { OP_CODES } = this.jute;
    const { path } = operation;
    switch (operation.kind) {
      case 'check':
        return { type: OP_CODES.CHECK, path, version: operation.version ?? ANY_VERSION };
      case 'delete':
        return { type: OP_CODES.DELETE, path, version: operation.version ?? ANY_VERSION };
      case 'set':
        return {
          type: OP_CODES.SET_DATA,
          path,
          version: operation.version ?? ANY_VERSION,
          data: Buffer.from(operation.data),
        };
      case 'create': {
        const data = Buffer.from(operation.data);
        const acls = [{ toRecord: () => this.acl }];
        return { type: OP_CODES.CREATE, path, data, mode: CREATE_FLAGS[operation.mode], acls };
      }
      default:
        return operation satisfies never;
    }
  }

  private readResults(operations: readonly Operation[], results: readonly JuteResult[]): MultiAnswer {
    if (results.some(({ type }) => type === this.jute.OP_CODES.ERROR)) {
      const index = results.findIndex(({ err = 0 }) => !NOT_TO_BLAME.has(err));
      return { kind: 'refused', index, code: results[index]?.err ?? 0 };
    }
    return { kind: 'committed', results: operations.map(({ kind }, index) => readResult(kind, results[index])) };
  }
}

function readResult(kind: Operation['kind'], result: JuteResult | undefined): OperationResult {
  if (kind === 'create' && result?.path !== undefined) return { kind, path: result.path };
  if (kind === 'set' && result?.stat) return { kind, stat: readStat(result.stat) };
  if (kind === 'check' || kind === 'delete') return { kind };
  throw new TypeError(`The server's answer to a transaction has no result for a "${kind}".`);
}

function readStat(stat: JuteStat): NodeStat {
  return {
    czxid: stat.czxid.readBigInt64BE(),
    mzxid: stat.mzxid.readBigInt64BE(),
    ctime: Number(stat.ctime.readBigInt64BE()),
    mtime: Number(stat.mtime.readBigInt64BE()),
    version: stat.version,
    ephemeralOwner: isEphemeral(stat.ephemeralOwner) ? sessionIdText(stat.ephemeralOwner) : undefined,
  };
}

/**
 * Whether a session owns the node. Containers, which Curator makes for parents, and nodes with a time to live are marked
 * in the same field: they are persistent and have children.
 * @see ZooKeeper's EphemeralType
 */
function isEphemeral(owner: Buffer): boolean {
  const bits = owner.readBigUInt64BE();
  return bits !== 0n && bits !== CONTAINER_OWNER && owner[0] !== TTL_OWNER_BYTE;
}

/** A session id as `SessionInfo` has it. */
export function sessionIdText(id: Buffer): string {
  return id.readBigUInt64BE().toString(16);
}
