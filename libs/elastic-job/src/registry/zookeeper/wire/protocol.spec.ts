import { describe, expect, it } from 'vitest';
import { Namespace } from '../../namespace.js';
import type { NodeOperation } from '../../registry-center.js';
import { CREATOR_ACL_BYTES, OPEN_ACL_BYTES, transactionBytes } from '../../node-operations.js';
import { loadJute } from './client-library.js';
import { Protocol } from './protocol.js';
import { FrameWriter } from './frames.js';
import { ReplyReader } from './reply-reader.js';
import type { RequestBody } from './request.js';

const jute = loadJute();
const namespace = new Namespace('shop/orders');
const operations: readonly NodeOperation[] = [
  { kind: 'check', path: '/job', version: 0 },
  { kind: 'create', path: '/job/größe', data: '世界', mode: 'EPHEMERAL' },
  { kind: 'set', path: '/job', data: '', version: 3 },
  { kind: 'delete', path: '/job' },
];

describe('requests', () => {
  it.each([
    [false, OPEN_ACL_BYTES],
    [true, CREATOR_ACL_BYTES],
  ])('have the computed size as a transaction (owned by its creator: %s)', (owned, acl) => {
    const paths = operations.map(({ path }) => namespace.absolute(path));
    const protocol = new Protocol(jute, owned);
    expect(frameBytes(protocol.multi(operations, paths))).toBe(transactionBytes(operations, namespace, acl));
  });

  it('have the computed size as single writes', () => {
    const protocol = new Protocol(jute, false);
    for (const operation of operations.slice(1)) {
      const request = protocol.single(operation, namespace.absolute(operation.path));
      expect(frameBytes(request)).toBe(transactionBytes([operation], namespace, OPEN_ACL_BYTES, true));
    }
  });

  it('carry version 0 as 0, and -1 only for any version', () => {
    const protocol = new Protocol(jute, false);
    const lastInt = (request: RequestBody) => frame(request).readInt32BE(frame(request).length - 4);
    expect(lastInt(protocol.single({ kind: 'delete', path: '/a', version: 0 }, '/n/a'))).toBe(0);
    expect(lastInt(protocol.single({ kind: 'delete', path: '/a' }, '/n/a'))).toBe(-1);
    const check = frame(protocol.multi([{ kind: 'check', path: '/a', version: 0 }], ['/n/a']));
    // The version is followed by the header that ends the transaction, 9 bytes.
    expect(check.readInt32BE(check.length - 9 - 4)).toBe(0);
  });
});

describe('replies', () => {
  it.each([
    ['0000000000000000', undefined],
    ['0100001234abcd00', '100001234abcd00'],
    ['8000000000000000', undefined],
    ['ff00000000000bb8', undefined],
  ])('give for the owner field %s the owning session %s', (bytes, owner) => {
    const stat = Buffer.alloc(68);
    stat.write(bytes, 44, 'hex');
    const { read } = new Protocol(jute, false).exists('/a');
    expect(read(new ReplyReader(stat))).toMatchObject({ ephemeralOwner: owner });
  });

  it.each([
    ['a stat that is cut short', (protocol: Protocol) => protocol.exists('/a'), Buffer.alloc(67)],
    ['a text longer than the reply', (protocol: Protocol) => protocol.node('/a'), Buffer.from('7fffffff', 'hex')],
    ['more names than bytes', (protocol: Protocol) => protocol.children('/a'), Buffer.from('7fffffff00000000', 'hex')],
    ['no end of results', (protocol: Protocol) => protocol.multi([], []), Buffer.alloc(9)],
  ])('cause a RangeError for %s', (_what, request, reply) => {
    expect(() => request(new Protocol(jute, false)).read(new ReplyReader(reply))).toThrow(RangeError);
  });
});

function frame(request: RequestBody): Buffer {
  return new FrameWriter(jute).request(1, request);
}

function frameBytes(request: RequestBody): number {
  return frame(request).length;
}
