import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { expect, it } from 'vitest';
import { readJobs } from './job-facts.js';

it('reads each of 1,001 jobs once, in the given order, 500 at a time', async () => {
  const stage = new MemoryStage();
  const client = await stage.connected();
  const names = Array.from({ length: 1_001 }, (_, n) => `job-${n}`);
  await stage.during(() => Promise.all(names.map((name) => client.create(`/${name}`, `of ${name}`, 'PERSISTENT'))));

  const facts = await stage.during(() => readJobs(client, names, []));

  expect(facts.map(({ root }) => root?.data)).toEqual(names.map((name) => `of ${name}`));
});
