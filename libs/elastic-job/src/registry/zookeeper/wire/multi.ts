import { isNumbered } from '../../operations.js';
import type { NodeStat, NodeOperation } from '../../registry-center.js';
import { type JutePayload, OP_CODE } from './client-library.js';
import type { ReplyReader } from './reply-reader.js';
import { bodyBytes, opCodeOf, textBytes, writeBody, writeText } from './write-body.js';

/**
 * Result of one operation of a transaction. Servers may or may not include the stat of a created node. The path of a
 * created node is the server's, and undefined if it is the one that was asked for.
 */
export type MultiResult =
  | { readonly kind: 'check' }
  | { readonly kind: 'create'; readonly path: string | undefined; readonly stat: NodeStat | undefined }
  | { readonly kind: 'set'; readonly stat: NodeStat }
  | { readonly kind: 'delete' };

export type MultiAnswer =
  | { readonly kind: 'committed'; readonly results: readonly MultiResult[] }
  | { readonly kind: 'refused'; readonly index: number; readonly code: number };

/** One part of a request that reads many nodes. */
export interface NodeRead {
  readonly what: 'data' | 'children';
  readonly path: string;
}

/** Result of one part of a request that reads many nodes, or the server's error code. */
export type NodeFound =
  | { readonly kind: 'data'; readonly data: string; readonly stat: NodeStat }
  | { readonly kind: 'children'; readonly names: readonly string[] }
  | { readonly kind: 'refused'; readonly code: number };

/** Code of the operation, end marker, error. */
const HEADER_BYTES = 9;
/** Largest read request, below the server's limit of a megabyte. */
const LONGEST_READ_BYTES = 512 * 1024;
/** Most nodes per read. A node has up to a megabyte, and the process must hold the whole reply in memory. */
const MOST_READS = 200;
/** Codes of the operations that did not cause a refusal: 0 before the one that failed, -2 after it. */
const NOT_TO_BLAME: ReadonlySet<number> = new Set([0, -2]);

/**
 * Encodes a transaction: its records one after the other, each behind a header.
 * @param paths the server's, one for each operation
 * @param acl ACL of a created node
 */
export function multiPayload(operations: readonly NodeOperation[], paths: readonly string[], acl: Buffer): JutePayload {
  return {
    byteLength: () => {
      let bytes = HEADER_BYTES;
      for (let n = 0; n < paths.length; n += 1) bytes += HEADER_BYTES + bodyBytes(operations[n]!, paths[n]!, acl);
      return bytes;
    },
    serialize: (buffer, offset) => {
      let at = offset;
      for (let n = 0; n < paths.length; n += 1) {
        const operation = operations[n]!;
        at = writeHeader(opCodeOf(operation), false, buffer, at);
        at += writeBody(operation, paths[n]!, acl, buffer, at);
      }
      return writeHeader(-1, true, buffer, at) - offset;
    },
  };
}

export function readMultiReply(operations: readonly NodeOperation[], reply: ReplyReader): MultiAnswer {
  const results: MultiResult[] = [];
  let blamed: { readonly index: number; readonly code: number } | undefined;
  for (let index = 0, opCode = readHeader(reply); opCode !== undefined; index += 1, opCode = readHeader(reply)) {
    const operation = operations[index];
    if (operation === undefined) throw new RangeError('the reply has more results than the transaction had operations');
    if (opCode === OP_CODE.ERROR) {
      const code = reply.int();
      if (!NOT_TO_BLAME.has(code)) blamed ??= { index, code };
    } else {
      results.push(readResult(operation, opCode, reply));
    }
  }
  if (results.length === operations.length) return { kind: 'committed', results };
  return { kind: 'refused', ...(blamed ?? { index: 0, code: 0 }) };
}

/** @param opCode of the request or, in a transaction, of the result */
export function readResult(operation: NodeOperation, opCode: number, reply: ReplyReader): MultiResult {
  const { kind } = operation;
  switch (kind) {
    case 'create': {
      const path = isNumbered(operation.mode) ? reply.text() : reply.skipText();
      return { kind, path, stat: opCode === OP_CODE.CREATE ? undefined : reply.stat() };
    }
    case 'set':
      return { kind, stat: reply.stat() };
    case 'check':
    case 'delete':
      return { kind };
    default:
      return kind satisfies never;
  }
}

/**
 * Written by hand: a tree is read with thousands of these, and the library's codec takes some microseconds per record.
 */
export function multiReadPayload(reads: readonly NodeRead[]): JutePayload {
  return {
    byteLength: () => reads.reduce((bytes, { path }) => bytes + multiReadBytes(path), HEADER_BYTES),
    serialize: (buffer, offset) => {
      let at = offset;
      for (const { what, path } of reads) {
        at = writeHeader(what === 'data' ? OP_CODE.GET_DATA : OP_CODE.GET_CHILDREN, false, buffer, at);
        at += writeText(path, buffer, at);
        at = buffer.writeUInt8(0, at); // no watch
      }
      return writeHeader(-1, true, buffer, at) - offset;
    },
  };
}

function multiReadBytes(path: string): number {
  return HEADER_BYTES + textBytes(path) + 1;
}

/** Splits a large read into parts that each fit one request; at least one. */
export function readPieces(reads: readonly NodeRead[]): readonly (readonly NodeRead[])[] {
  const pieces: NodeRead[][] = [[]];
  let left = LONGEST_READ_BYTES;
  for (const read of reads) {
    const bytes = multiReadBytes(read.path);
    if (bytes > left || pieces.at(-1)!.length >= MOST_READS) {
      pieces.push([]);
      left = LONGEST_READ_BYTES;
    }
    pieces.at(-1)?.push(read);
    left -= bytes;
  }
  return pieces;
}

export function readMultiReadReply(reads: readonly NodeRead[], reply: ReplyReader): readonly NodeFound[] {
  const found: NodeFound[] = [];
  for (let opCode = readHeader(reply); opCode !== undefined; opCode = readHeader(reply)) {
    if (opCode === OP_CODE.ERROR) found.push({ kind: 'refused', code: reply.int() });
    else if (opCode === OP_CODE.GET_DATA) found.push({ kind: 'data', data: reply.text(), stat: reply.stat() });
    else found.push({ kind: 'children', names: reply.texts() });
  }
  if (found.length !== reads.length) throw new RangeError('the reply has not one result for each node that was read');
  return found;
}

/** @returns the operation code of the next result; undefined at the end */
function readHeader(reply: ReplyReader): number | undefined {
  const opCode = reply.int();
  const isEnd = reply.boolean();
  reply.int(); // the error, which the record of an error repeats
  return isEnd ? undefined : opCode;
}

function writeHeader(opCode: number, isEnd: boolean, buffer: Buffer, offset: number): number {
  const at = buffer.writeUInt8(isEnd ? 1 : 0, buffer.writeInt32BE(opCode, offset));
  return buffer.writeInt32BE(-1, at);
}
