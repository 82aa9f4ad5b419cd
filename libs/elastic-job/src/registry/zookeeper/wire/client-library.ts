import { createRequire } from 'node:module';
import { ConfigurationError } from '../../../domain/index.js';

/**
 * The part of `node-zookeeper-client` that this adapter stands on: its codec, with which most requests are written. It
 * is an inner module, so the version is pinned exactly and checked here. These types say no more than what is used.
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

/** A record of ZooKeeper's wire format; its constructor takes the fields in the order of the format. */
export type JuteRecordType = new (...fields: readonly unknown[]) => JutePayload;

/** What can be written into a request. */
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

/** @throws {ConfigurationError} if another version is installed than the one whose inner modules are known. */
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
 * A record that the client does not have, in its own terms. Every record of the client is made by one class, which it
 * keeps to itself: the parent of each of them.
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
