import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { type ZooKeeperOptions, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { clientsOf, cutAll, type RegistryHarness } from './registry/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

/**
 * The suite's harness over the real server of this run, reached through a proxy.
 * @param common options of every client
 */
export async function startZooKeeperHarness(common: Partial<ZooKeeperOptions> = {}): Promise<RegistryHarness> {
  const clock = new SystemClock();
  const proxy = await startProxy(zooKeeper);
  const limits = { sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  const clients = clientsOf(
    ({ clock: own = clock, ...options }) =>
      new ZooKeeperRegistryCenter({ servers: proxy.connect, ...limits, ...common, ...options }, own),
    // The server may have been used before, by others or by an earlier topic.
    `contract/${clock.uuid()}`,
  );
  return {
    ...clients,
    expire: (client) => proxy.expire(client.session.id!),
    cut: () => cutAll(clients.all, () => proxy.cut()),
    async stop() {
      await clients.stop();
      await proxy.stop();
    },
  };
}
