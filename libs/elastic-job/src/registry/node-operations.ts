/**
 * The port's operations in ZooKeeper's own. Java peers, earlier releases and the tokens in users' stores rely on the
 * versions, the transaction ids and the news that come of them. So the operations of a word stay as they are.
 */
import { assertLegal, type Namespace } from './namespace.js';
import {
  creation,
  isNumbered,
  type NodeOperation,
  type Operation,
  type OperationResult,
  type TransactionResult,
} from './operations.js';

/**
 * Asserts that each path is legal, and named once. A sequential creation names only the beginning of its path.
 * @throws {ConfigurationError} @throws {TypeError}
 */
export function assertDistinct(operations: readonly Operation[]): void {
  const named = new Set<string>();
  for (const operation of operations) {
    const { path } = operation;
    assertLegal(path);
    if (operation.kind === 'create' && isNumbered(operation.mode)) continue;
    if (named.has(path)) throw new TypeError(`A transaction names "${path}" twice; use one operation for each path.`);
    named.add(path);
  }
}

/** ZooKeeper's operations, in their order; the same array if there are no others. */
export function nodeOperations(operations: readonly Operation[]): readonly NodeOperation[] {
  return operations.every(isOfNode) ? operations : operations.flatMap(partsOf);
}

/** Sends ZooKeeper's operations, and answers in the places and results of the given ones. */
export function sendNodeOperations(
  operations: readonly Operation[],
  send: (parts: readonly NodeOperation[]) => Promise<TransactionResult>,
): Promise<TransactionResult> {
  if (operations.every(isOfNode)) return send(operations);
  const parts = operations.map(partsOf);
  return send(parts.flat()).then((result) => answerOf(operations, parts, result));
}

/** The request, as an error names it. @param isSingle as for `Ensemble.transaction` */
export function requestName(operations: readonly NodeOperation[], isSingle: boolean): string {
  const [first] = operations;
  return isSingle ? `${first!.kind} ${first!.path}` : `transaction of ${operations.length}`;
}

function isOfNode(operation: Operation): operation is NodeOperation {
  const { kind } = operation;
  return kind === 'check' || kind === 'create' || kind === 'set' || kind === 'delete';
}

function partsOf(operation: Operation): readonly NodeOperation[] {
  const { path } = operation;
  switch (operation.kind) {
    case 'check':
    case 'create':
    case 'set':
    case 'delete':
      return [operation];
    case 'absent':
    case 'notify':
      return [creation(path), { kind: 'delete', path }];
    case 'renew': {
      const { data, mode, version } = operation;
      return [
        { kind: 'delete', path, version },
        { kind: 'create', path, data, mode },
      ];
    }
    case 'lead': {
      const { data, version } = operation;
      return [
        ...(version === undefined ? [] : [{ kind: 'delete', path, version } as const]),
        { kind: 'create', path, data, mode: 'EPHEMERAL' },
        { kind: 'set', path, data, version: 0 },
      ];
    }
    case 'term': {
      const { data, term, version } = operation;
      return Array.from({ length: term - version }, (_, n) => ({ kind: 'set', path, data, version: version + n }));
    }
    case 'token':
      return [creation(path), { kind: 'set', path, data: operation.data, version: 0 }];
    default:
      return operation satisfies never;
  }
}

function answerOf(
  operations: readonly Operation[],
  parts: readonly (readonly NodeOperation[])[],
  result: TransactionResult,
): TransactionResult {
  let end = 0;
  const ends = parts.map(({ length }) => (end += length));
  if (result.kind === 'refused') return { ...result, index: ends.findIndex((after) => result.index < after) };
  const results = operations.map((operation, n) => resultOf(operation, result.results[ends[n]! - 1]!));
  return { kind: 'committed', results };
}

/** @param last result of the last of its parts */
function resultOf({ kind }: Operation, last: OperationResult): OperationResult {
  return kind === 'absent' || kind === 'notify' ? { kind: 'check' } : last;
}

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
