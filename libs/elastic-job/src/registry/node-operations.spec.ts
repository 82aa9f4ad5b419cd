import { describe, expect, it } from 'vitest';
import { Namespace } from './namespace.js';
import { CREATOR_ACL_BYTES, nodeOperations, OPEN_ACL_BYTES, transactionBytes } from './node-operations.js';
import type { NodeOperation, Operation } from './registry-center.js';

const path = '/job/node';

// Java peers, earlier releases and the tokens in users' stores rely on the versions and transaction ids of these.
const SENT: readonly (readonly [Operation, readonly NodeOperation[]])[] = [
  [
    { kind: 'absent', path },
    [
      { kind: 'create', path, data: '', mode: 'PERSISTENT' },
      { kind: 'delete', path },
    ],
  ],
  [
    { kind: 'notify', path },
    [
      { kind: 'create', path, data: '', mode: 'PERSISTENT' },
      { kind: 'delete', path },
    ],
  ],
  [
    { kind: 'renew', path, data: 'd', mode: 'EPHEMERAL' },
    [
      { kind: 'delete', path },
      { kind: 'create', path, data: 'd', mode: 'EPHEMERAL' },
    ],
  ],
  [
    { kind: 'renew', path, data: 'd', mode: 'PERSISTENT', version: 4 },
    [
      { kind: 'delete', path, version: 4 },
      { kind: 'create', path, data: 'd', mode: 'PERSISTENT' },
    ],
  ],
  [
    { kind: 'lead', path, data: 'me' },
    [
      { kind: 'create', path, data: 'me', mode: 'EPHEMERAL' },
      { kind: 'set', path, data: 'me', version: 0 },
    ],
  ],
  [
    { kind: 'lead', path, data: 'me', version: 1 },
    [
      { kind: 'delete', path, version: 1 },
      { kind: 'create', path, data: 'me', mode: 'EPHEMERAL' },
      { kind: 'set', path, data: 'me', version: 0 },
    ],
  ],
  [{ kind: 'term', path, data: 'me', version: 7, term: 8 }, [{ kind: 'set', path, data: 'me', version: 7 }]],
  [
    { kind: 'term', path, data: 'me', version: 7, term: 9 },
    [
      { kind: 'set', path, data: 'me', version: 7 },
      { kind: 'set', path, data: 'me', version: 8 },
    ],
  ],
  [
    { kind: 'token', path, data: 'record' },
    [
      { kind: 'create', path, data: '', mode: 'PERSISTENT' },
      { kind: 'set', path, data: 'record', version: 0 },
    ],
  ],
];

describe("the port's operations", () => {
  it.each(SENT)('are sent to ZooKeeper as ever: %j', (operation, sent) => {
    const [before, after] = [{ kind: 'check', path: '/a' } as const, { kind: 'delete', path: '/b' } as const];

    expect(nodeOperations([before, operation, after])).toEqual([before, ...sent, after]);
  });
});

const namespace = new Namespace('shop/orders');
const operations: readonly Operation[] = [
  { kind: 'create', path: '/a世', data: 'Grüße', mode: 'EPHEMERAL' },
  { kind: 'create', path: '/e', data: '', mode: 'PERSISTENT' },
  { kind: 'set', path: '/b', data: 'xyz', version: 3 },
  { kind: 'delete', path: '/c', version: 0 },
  { kind: 'check', path: '/' },
];

// Expected sizes were measured on the same requests, serialised by node-zookeeper-client 1.1.3.
describe('the size of a request', () => {
  it('is that which the client sends for a transaction with each kind of operation', () => {
    expect(transactionBytes(operations, namespace, OPEN_ACL_BYTES)).toBe(253);
    expect(transactionBytes(operations, namespace, CREATOR_ACL_BYTES)).toBe(239);
  });

  it('is that of all operations that are sent for one of the port', () => {
    const token: Operation = { kind: 'token', path: '/a', data: 'text' };
    const sent: readonly Operation[] = [
      { kind: 'create', path: '/a', data: '', mode: 'PERSISTENT' },
      { kind: 'set', path: '/a', data: 'text', version: 0 },
    ];
    expect(transactionBytes([token], namespace, OPEN_ACL_BYTES)).toBe(
      transactionBytes(sent, namespace, OPEN_ACL_BYTES),
    );
  });

  it('is that which the client sends for a single create', () => {
    const create: Operation = { kind: 'create', path: '/a', data: 'd', mode: 'PERSISTENT' };
    expect(transactionBytes([create], namespace, OPEN_ACL_BYTES, true)).toBe(66);
  });
});
