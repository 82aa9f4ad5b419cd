import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { NodeOperation } from '../../registry-center.js';
import type { JutePayload, JuteRecordType } from './client-library.js';
import { multiPayload } from './multi.js';
import { aclBytes, opCodeOf, writeRequest } from './write-body.js';

type Names = 'CreateRequest' | 'SetDataRequest' | 'DeleteRequest' | 'CheckVersionRequest' | 'MultiHeader';
interface StockCodec {
  readonly data: Readonly<Record<'ACL' | 'Id', JuteRecordType>>;
  readonly protocol: Readonly<Record<Names, JuteRecordType>>;
}

const { data: types, protocol }: StockCodec = createRequire(import.meta.url)('node-zookeeper-client/lib/jute');
const WORLD = { scheme: 'world', id: 'anyone' };
const ACL = aclBytes(WORLD);
const stockAcl = [new types.ACL(31, new types.Id(WORLD.scheme, WORLD.id))];
const TEXT = 'späť 🚀';

const CASES: readonly (readonly [string, NodeOperation, JutePayload])[] = [
  [
    'an ephemeral node',
    { kind: 'create', path: '/n/é', data: TEXT, mode: 'EPHEMERAL' },
    new protocol.CreateRequest('/n/é', Buffer.from(TEXT), stockAcl, 1),
  ],
  [
    'an empty node',
    { kind: 'create', path: '/n', data: '', mode: 'PERSISTENT_SEQUENTIAL' },
    new protocol.CreateRequest('/n', Buffer.alloc(0), stockAcl, 2),
  ],
  ['a value', { kind: 'set', path: '/n', data: TEXT }, new protocol.SetDataRequest('/n', Buffer.from(TEXT), -1)],
  [
    'version 0',
    { kind: 'set', path: '/n', data: '', version: 0 },
    new protocol.SetDataRequest('/n', Buffer.alloc(0), 0),
  ],
  ['a deletion', { kind: 'delete', path: '/n' }, new protocol.DeleteRequest('/n', -1)],
  ['a check', { kind: 'check', path: '/n', version: 7 }, new protocol.CheckVersionRequest('/n', 7)],
];

describe('a write on the wire', () => {
  it.each(CASES)('has the bytes of the stock codec for %s', (_, operation, stock) => {
    expect(bytesOf(writeRequest(operation, operation.path, ACL).payload!)).toEqual(bytesOf(stock));
  });

  it('has a header before each part of a transaction, and one header at its end', () => {
    const operations = CASES.map(([, operation]) => operation);
    const stock = CASES.flatMap(([, operation, payload]) => [
      bytesOf(new protocol.MultiHeader(opCodeOf(operation), false, -1)),
      bytesOf(payload),
    ]);
    const end = bytesOf(new protocol.MultiHeader(-1, true, -1));
    const paths = operations.map(({ path }) => path);
    expect(bytesOf(multiPayload(operations, paths, ACL))).toEqual(Buffer.concat([...stock, end]));
  });
});

/** A margin of 8 bytes reveals writes beyond the announced size. */
function bytesOf(payload: JutePayload): Buffer {
  const buffer = Buffer.alloc(payload.byteLength() + 8);
  const written = payload.serialize(buffer, 4);
  expect(written).toBe(payload.byteLength());
  return buffer.subarray(4, 4 + written);
}
