import { describe, expect, it } from 'vitest';
import { Namespace } from '../namespace.js';
import type { Operation } from '../registry-center.js';
import { CREATOR_ACL_BYTES, OPEN_ACL_BYTES, requestBytes, transactionBytes } from '../request-size.js';
import { loadClientLibrary } from './client-library.js';
import { Protocol, type Request } from './protocol.js';

const library = loadClientLibrary();
const namespace = new Namespace('shop/orders');
const operations: readonly Operation[] = [
  { kind: 'check', path: '/job', version: 0 },
  { kind: 'create', path: '/job/größe', data: '世界', mode: 'EPHEMERAL' },
  { kind: 'set', path: '/job', data: '', version: 3 },
  { kind: 'delete', path: '/job' },
];

describe('requests', () => {
  it.each([
    [false, OPEN_ACL_BYTES],
    [true, CREATOR_ACL_BYTES],
  ])('given a transaction (owned by its creator: %s), when it is sent, then it has the computed size', (owned, acl) => {
    const sent = operations.map((operation) => ({ ...operation, path: namespace.absolute(operation.path) }));
    const protocol = new Protocol(library.jute, owned);
    expect(frameBytes(protocol.multi(sent))).toBe(transactionBytes(operations, namespace, acl));
  });

  it('given single writes, when they are sent, then they have the computed size', () => {
    const protocol = new Protocol(library.jute, false);
    const path = namespace.absolute('/job');
    const size = (operation: Operation) => requestBytes(operation, namespace, OPEN_ACL_BYTES);
    expect(frameBytes(protocol.create(path, 'x', 'PERSISTENT'))).toBe(
      size({ kind: 'create', path: '/job', data: 'x', mode: 'PERSISTENT' }),
    );
    expect(frameBytes(protocol.set(path, 'xyz', 0))).toBe(size({ kind: 'set', path: '/job', data: 'xyz' }));
    expect(frameBytes(protocol.delete(path))).toBe(size({ kind: 'delete', path: '/job' }));
  });

  it('given version 0, when it is expected, then 0 is sent, and -1 only for any version', () => {
    const protocol = new Protocol(library.jute, false);
    const lastInt = (request: Request<unknown>) => frame(request).readInt32BE(frame(request).length - 4);
    expect(lastInt(protocol.delete('/a', 0))).toBe(0);
    expect(lastInt(protocol.delete('/a'))).toBe(-1);
    const check = frame(protocol.multi([{ kind: 'check', path: '/a', version: 0 }]));
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
  ])('given the owner field %s, when a stat is read, then the owning session is %s', (bytes, owner) => {
    const long = Buffer.alloc(8);
    const stat = { czxid: long, mzxid: long, ctime: long, mtime: long, version: 0 };
    const reply = { stat: { ...stat, ephemeralOwner: Buffer.from(bytes, 'hex') } };
    const { receive } = new Protocol(library.jute, false).exists('/a');
    expect(receive({ ...reply, path: '/a', data: undefined, children: undefined, results: [] })).toMatchObject({
      ephemeralOwner: owner,
    });
  });
});

describe('the client library', () => {
  it('given the pinned version, when its inner modules are loaded, then they have what the adapter stands on', () => {
    const { ConnectionManager, jute } = library;
    const manager = new ConnectionManager('host', { sessionTimeout: 1_000, spinDelay: 0 }, () => {});
    for (const method of ['connect', 'queue', 'addAuthInfo', 'onSocketError', 'getSessionId'] as const) {
      expect(manager[method]).toBeTypeOf('function');
    }
    expect(manager.packetQueue.queue).toEqual([]);
    expect(ConnectionManager.STATES).toMatchObject({ CONNECTED: 2, DISCONNECTED: 0, SESSION_EXPIRED: -3 });
    expect(jute.OP_CODES).toMatchObject({ MULTI: 14, CHECK: 13, CLOSE_SESSION: -11, ERROR: -1 });
  });
});

function frame(request: Request<unknown>): Buffer {
  const { jute } = library;
  return new jute.Request(new jute.protocol.RequestHeader(1, request.opCode), request.payload).toBuffer();
}

function frameBytes(request: Request<unknown>): number {
  return frame(request).length;
}
