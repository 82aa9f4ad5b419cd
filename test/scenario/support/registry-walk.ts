import type { RegistryCenter, RegistryNode } from '../../../libs/elastic-job/src/registry/index.js';
import type { TestCluster } from '../../../libs/elastic-job/src/testing/index.js';

/** A client of the cluster's registry that is no instance, like an operator with a shell. Its requests take no time. */
export async function operatorOf(cluster: TestCluster): Promise<RegistryCenter> {
  const center = cluster.registry.center({
    namespace: 'test',
    clock: cluster.clock,
    sessionTimeoutMs: 600_000,
    requestTimeoutMs: 5_000,
  });
  await center.connect();
  return center;
}

/** Every node at and below a path, parents first. */
export async function allNodes(registry: RegistryCenter, path: string): Promise<RegistryNode[]> {
  const node = await registry.read(path);
  if (node === undefined) return [];
  const names = await registry.children(path);
  const below = await Promise.all(names.map((name) => allNodes(registry, `${path}/${name}`)));
  return [node, ...below.flat()];
}

/** The nodes of a job that only a living instance or a running item may have. */
export async function traces(registry: RegistryCenter, jobName: string): Promise<string[]> {
  const nodes = await allNodes(registry, `/${jobName}`);
  return nodes
    .filter(
      ({ path, stat }) =>
        stat.ephemeralOwner !== undefined || /\/sharding\/\d+\/(running|failover|failovering)$/.test(path),
    )
    .map(({ path }) => path);
}
