import { expect, it, onTestFinished } from 'vitest';
import { resolveJobOptions } from '../../domain/index.js';
import { ZooKeeperGuard } from '../../guards/index.js';
import { MemoryRegistry } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import { ElasticJobRuntime } from '../process/elastic-job-runtime.js';

const JOB = 'settle-orders';

it('refuses to start without the named epoch if a store is ahead of a replaced registry', async () => {
  const clock = new VirtualClock();
  const server = new MemoryRegistry(clock);
  const connect = () => server.center({ namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 });
  const store = connect();
  await store.connect();
  const guard = new ZooKeeperGuard(store, '/fences');
  await guard.write({ jobName: JOB, shardingItem: 0, token: 2n ** 62n, tokenEpoch: 0 }, []);
  const start = async (tokenEpoch: number) => {
    const runtime = new ElasticJobRuntime({ registry: connect(), clock, tokenEpoch, fences: [guard] });
    onTestFinished(() => clock.advanceUntil(runtime.stop()));
    const configuration = resolveJobOptions(
      { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1 },
      { place: 'spec' },
    );
    await runtime.registrar.register({ configuration, className: JOB, place: 'spec', handler: () => {} });
    await clock.advanceUntil(runtime.start());
    return runtime.status().jobs[0]!.isJoined;
  };

  await expect(start(0)).rejects.toMatchObject({ code: 'FENCE_AHEAD', message: expect.stringContaining('to 1') });
  expect(await start(1)).toBe(true);
});
