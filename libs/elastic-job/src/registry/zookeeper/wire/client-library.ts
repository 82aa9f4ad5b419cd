import { createRequire } from 'node:module';
import { ConfigurationError } from '../../../domain/index.js';

/**
 * The part of `node-zookeeper-client` that this adapter uses: its codec, which encodes most requests. It is an inner
 * module, so the version is pinned exactly and checked here. These types declare only the parts in use.
 */
export interface Jute {
  readonly PROTOCOL_VERSION: number;
  readonly Request: new (header: JutePayload | null, payload: JutePayload | null) => { toBuffer(): Buffer };
  readonly protocol: Readonly<
    Record<
      'RequestHeader' | 'ConnectRequest' | 'AuthPacket' | 'GetDataRequest' | 'ExistsRequest' | 'GetChildren2Request',
      JuteRecordType
    >
  >;
}

/** A record of ZooKeeper's wire format. Its constructor takes the fields in the order of the format. */
export type JuteRecordType = new (...fields: readonly unknown[]) => JutePayload;

/** A payload that can be written into a request. */
export interface JutePayload {
  byteLength(): number;
  /** @returns the number of bytes written */
  serialize(buffer: Buffer, offset: number): number;
}

interface JuteField {
  readonly name: string;
  readonly type: 'int' | 'long' | 'boolean' | 'buffer' | 'ustring' | 'vector<ustring>' | 'vector<data.ACL>';
}

const PACKAGE = 'node-zookeeper-client';
const VERSION = '1.1.3';

/** @throws {ConfigurationError} if the installed version is not the one whose inner modules are known. */
export function loadJute(): Jute {
  const load = createRequire(import.meta.url);
  const { version }: { readonly version: string } = load(`${PACKAGE}/package.json`);
  if (version !== VERSION) {
    throw new ConfigurationError('registry', [
      `${PACKAGE} ${version} is installed; this release works with exactly ${VERSION}`,
    ]);
  }
  return load(`${PACKAGE}/lib/jute`);
}

/**
 * Makes a type for a record that the client lacks. The client does not export the class of its records, but it is the
 * parent of each of them.
 */
export function recordType(jute: Jute, fields: readonly JuteField[]): JuteRecordType {
  const Record: new (specification: readonly JuteField[], values: readonly unknown[]) => JutePayload =
    Object.getPrototypeOf(jute.protocol.RequestHeader.prototype).constructor;
  return class extends Record {
    constructor(...values: readonly unknown[]) {
      super(fields, values);
    }
  };
}

/**
 * ZooKeeper's operation numbers. The client library knows only those of version 3.4.
 * @see ZooKeeper, `ZooDefs.OpCode`
 */
export const OP_CODE = {
  CREATE: 1,
  DELETE: 2,
  EXISTS: 3,
  GET_DATA: 4,
  SET_DATA: 5,
  GET_ACL: 6,
  GET_CHILDREN: 8,
  PING: 11,
  GET_CHILDREN2: 12,
  CHECK: 13,
  MULTI: 14,
  CREATE2: 15,
  REMOVE_WATCHES: 18,
  CREATE_CONTAINER: 19,
  MULTI_READ: 22,
  AUTH: 100,
  SASL: 102,
  SET_WATCHES2: 105,
  ADD_WATCH: 106,
  WHO_AM_I: 107,
  CLOSE_SESSION: -11,
  ERROR: -1,
} as const;
