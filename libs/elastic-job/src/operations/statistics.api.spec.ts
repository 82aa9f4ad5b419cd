import { expect, it, vi } from 'vitest';
import { MemoryRegistry } from '../registry/index.js';
import { VirtualClock } from '../testing/index.js';
import { JobStatisticsApi } from './statistics.api.js';

it('reads at most one large config in a turn of the event loop', async () => {
  const clock = new VirtualClock();
  const options = { namespace: 'statistics', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  const registry = new MemoryRegistry(clock).center(options);
  await registry.connect();
  for (const name of 'abcdefgh') {
    const config = `jobName: ${name}\nshardingTotalCount: 1\ndescription: ${name.repeat(60_000)}\n`;
    await registry.ensurePath(`/${name}`);
    await registry.create(`/${name}/config`, config, 'PERSISTENT');
  }
  await registry.ensurePath('/small');
  await registry.create('/small/config', 'jobName: small\nshardingTotalCount: 1\n', 'PERSISTENT');
  const turns = vi.spyOn(clock, 'nextTurn');

  const infos = await new JobStatisticsApi(registry, clock).getAllJobsBriefInfo();

  expect(infos.map(({ jobName }) => jobName)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'small']);
  expect(turns.mock.calls.length).toBeGreaterThanOrEqual(8);
  await registry.close();
});
