import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { ConfigurationError } from '../../domain/index.js';

/**
 * The part of `node-zookeeper-client` that this adapter stands on: its codec and the object that owns the socket. Both
 * are inner modules, so the version is pinned exactly and checked here. These types say no more than what is used.
 */
export interface ClientLibrary {
  readonly ConnectionManager: (new (
    servers: string,
    options: ConnectionManagerOptions,
    onState: (state: number) => void,
  ) => ConnectionManager) & { readonly STATES: Readonly<Record<ConnectionManagerState, number>> };
  readonly jute: Jute;
}

export interface ConnectionManagerOptions {
  readonly sessionTimeout: number;
  readonly spinDelay: number;
  readonly sessionId?: Buffer;
  readonly sessionPassword?: Buffer;
}

type ConnectionManagerState = 'CONNECTED' | 'DISCONNECTED' | 'SESSION_EXPIRED' | 'AUTHENTICATION_FAILED';

/** What the adapter calls, reads and replaces of it. */
export interface ConnectionManager {
  servers: readonly { readonly host: string; readonly port: number }[];
  watcherManager: { isEmpty(): boolean; emit(event: { readonly type: number; readonly path: string }): void };
  readonly packetQueue: { readonly queue: { readonly callback: ReplyCallback }[] };
  /** Exists from the turn after `connect` on. */
  readonly socket?: Socket;
  readonly connectTimeoutHandler: NodeJS.Timeout | null;
  connect(): void;
  onSocketError(error: Error): void;
  addAuthInfo(scheme: string, auth: Buffer): void;
  queue(request: JuteRequest, callback: ReplyCallback): void;
  getSessionId(): Buffer;
  getSessionPassword(): Buffer;
  getSessionTimeout(): number;
}

export type ReplyCallback = (error: { readonly code: number } | null, reply?: { readonly payload: JuteReply }) => void;

/** Records of ZooKeeper's wire format; a constructor takes the fields in the order of the format. */
export interface Jute {
  readonly OP_CODES: Readonly<Record<OpCode, number>>;
  readonly Request: new (header: JuteRecord, payload: JuteRecord | null) => JuteRequest;
  readonly TransactionRequest: new (operations: readonly JuteOperation[]) => JuteRecord;
  readonly data: Readonly<Record<'ACL' | 'Id', JuteRecordType>>;
  readonly protocol: Readonly<
    Record<
      | 'RequestHeader'
      | 'GetDataRequest'
      | 'ExistsRequest'
      | 'GetChildren2Request'
      | 'CreateRequest'
      | 'SetDataRequest'
      | 'DeleteRequest',
      JuteRecordType
    >
  >;
}

type OpCode =
  | 'CREATE'
  | 'DELETE'
  | 'EXISTS'
  | 'GET_DATA'
  | 'SET_DATA'
  | 'GET_CHILDREN2'
  | 'CHECK'
  | 'MULTI'
  | 'CLOSE_SESSION'
  | 'ERROR';

type JuteRecordType = new (...fields: readonly unknown[]) => JuteRecord;

export interface JuteRecord {
  byteLength(): number;
}

export interface JuteRequest {
  toBuffer(): Buffer;
}

export interface JuteOperation {
  readonly type: number;
  readonly path: string;
  readonly version?: number;
  readonly data?: Buffer;
  readonly mode?: number;
  readonly acls?: readonly { toRecord(): JuteRecord }[];
}

/** 64-bit fields are 8 bytes, big-endian. */
export interface JuteStat {
  readonly czxid: Buffer;
  readonly mzxid: Buffer;
  readonly ctime: Buffer;
  readonly mtime: Buffer;
  readonly version: number;
  readonly ephemeralOwner: Buffer;
}

/** All replies in one: which fields are there depends on the request. A request that is answered with nothing must not look. */
export interface JuteReply {
  readonly path: string;
  readonly data: Buffer | undefined;
  readonly stat: JuteStat;
  readonly children: readonly string[] | undefined;
  readonly results: readonly JuteResult[];
}

export interface JuteResult {
  readonly type: number;
  readonly path?: string;
  readonly stat?: JuteStat;
  readonly err?: number;
}

const PACKAGE = 'node-zookeeper-client';
const VERSION = '1.1.3';

/** @throws {ConfigurationError} if another version is installed than the one whose inner modules are known. */
export function loadClientLibrary(): ClientLibrary {
  const require = createRequire(import.meta.url);
  const { version }: { readonly version: string } = require(`${PACKAGE}/package.json`);
  if (version !== VERSION) {
    throw new ConfigurationError('registry', [
      `${PACKAGE} ${version} is installed; this release works with exactly ${VERSION}`,
    ]);
  }
  const ConnectionManager: ClientLibrary['ConnectionManager'] = require(`${PACKAGE}/lib/ConnectionManager.js`);
  const jute: Jute = require(`${PACKAGE}/lib/jute`);
  return { ConnectionManager, jute };
}
