import { afterAll, beforeAll } from 'vitest';
import { bundleConnectionWorker } from '@test/support/bundle/bundle.js';
import { describeRegistryContract } from './registry/index.js';
import { startZooKeeperHarness } from './zookeeper-harness.js';

let worker: Awaited<ReturnType<typeof bundleConnectionWorker>>;
beforeAll(async () => {
  worker = await bundleConnectionWorker();
});
afterAll(() => worker.remove());

describeRegistryContract({
  name: 'zookeeper in a worker thread',
  start: () => startZooKeeperHarness({ connection: 'worker-thread', workerUrl: worker.url }),
});
