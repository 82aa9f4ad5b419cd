import { describe, expect, it } from 'vitest';
import { nodeOperations } from './node-operations.js';
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
