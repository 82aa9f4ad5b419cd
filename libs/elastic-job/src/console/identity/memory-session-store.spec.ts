import { expect, it } from 'vitest';
import { describeSessionsContract } from '../../../../../test/contract/sessions/sessions.contract.js';
import { MemorySessionStore } from './memory-session-store.js';
import type { StoredSession } from './session-store.js';

describeSessionsContract('memory', async () => {
  const store = new MemorySessionStore();
  return { connect: () => store, close: async () => {} };
});

it('sessions in memory are bounded: with too many, the one that was used least recently is gone', async () => {
  const store = new MemorySessionStore();
  const session = { name: 'anna', role: 'viewer', jobPrefix: null, credential: '', begunAt: 0, usedAt: 0 } as const;
  const add = async (key: number) => store.add({ ...session, key: String(key) } satisfies StoredSession);
  for (let key = 0; key < 10_000; key += 1) await add(key);

  await store.touch('0', 1);
  await add(10_000);
  expect(await store.find('0')).toBeDefined();
  expect(await store.find('1')).toBeUndefined();
  expect(await store.find('10000')).toBeDefined();
});
