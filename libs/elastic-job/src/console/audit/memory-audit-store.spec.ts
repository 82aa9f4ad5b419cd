import { expect, it } from 'vitest';
import { describeAuditContract, entryAt } from '@test/contract/audit/audit.contract.js';
import { MemoryAuditStore } from './memory-audit-store.js';

describeAuditContract('memory', async () => {
  const store = new MemoryAuditStore();
  return { connect: () => store, remove: async () => {} };
});

it('says at its start that it ends with the process', async () => {
  expect(await new MemoryAuditStore().open()).toEqual([expect.stringContaining('until this process ends')]);
});

it('keeps the newest entries, and the last switch of each target', async () => {
  const store = new MemoryAuditStore(2);
  const target = { job: 'a' };

  await store.add(entryAt(1, { action: 'job.disable', target }));
  for (const second of [2, 3, 4]) await store.add(entryAt(second));

  const filter = { unknownUntil: '', limit: 10 };
  expect((await store.read(filter)).map(({ id }) => id)).toEqual([entryAt(4).id, entryAt(3).id]);
  expect(await store.read({ ...filter, after: entryAt(1) })).toEqual([]);
  expect(await store.lastSwitches([target])).toMatchObject([{ action: 'job.disable' }]);
});
