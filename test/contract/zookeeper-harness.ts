import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  type RegistryCenter,
  type ZooKeeperOptions,
  ZooKeeperRegistryCenter,
} from '../../libs/elastic-job/src/registry/index.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { type ClientOptions, cutAll, type RegistryHarness } from './registry/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

/**
 * The suite's harness over the real server of this run, reached through a proxy.
 * @param common options of every client
 */
export async function startZooKeeperHarness(common: Partial<ZooKeeperOptions> = {}): Promise<RegistryHarness> {
  const clock = new SystemClock();
  const proxy = await startProxy(zooKeeper);
  // The server may have been used before, by others or by an earlier topic.
  const base = `contract/${clock.uuid()}`;
  const centers: RegistryCenter[] = [];
  let namespaces = 0;

  const center = ({ clock: own = clock, ...options }: ClientOptions): RegistryCenter => {
    const made = new ZooKeeperRegistryCenter(
      { servers: proxy.connect, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000, ...common, ...options },
      own,
    );
    centers.push(made);
    return made;
  };
  return {
    center,
    async client(options) {
      const made = center(options);
      await made.connect();
      return made;
    },
    newNamespace: () => `${base}/n${(namespaces += 1)}`,
    expire: (client) => proxy.expire(client.session.id!),
    cut: () => cutAll(centers, () => proxy.cut()),
    async stop() {
      await Promise.all(centers.map((made) => made.close()));
      await proxy.stop();
    },
  };
}
