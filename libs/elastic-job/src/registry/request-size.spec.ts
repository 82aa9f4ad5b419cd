import { describe, expect, it } from 'vitest';
import { Namespace } from './namespace.js';
import type { Operation } from './registry-center.js';
import { CREATOR_ACL_BYTES, OPEN_ACL_BYTES, transactionBytes } from './request-size.js';

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
