import {
  type AwayParent,
  type AwayReason,
  findJobNameFault,
  findNearestName,
  type JobName,
} from '../../domain/index.js';
import { namesBelow, type RegistryCenter, type RequestOptions } from '../../registry/index.js';
import { instanceOf, JobPaths, type JobTree } from '../job-tree/index.js';

/**
 * Finds the parents of a job that do not run now: without a node, without an instance, or with instances on disabled
 * servers only. 1 request, and three for each parent; one more if one is missing.
 */
export async function findAwayParents(
  registry: RegistryCenter,
  child: JobName,
  parents: readonly JobName[],
  options: RequestOptions,
): Promise<readonly AwayParent[]> {
  const roots = await registry.readMany(
    parents.map((parent) => new JobPaths(parent).root),
    options,
  );
  const found = parents.map(async (parent, index): Promise<AwayParent | undefined> => {
    const reason = roots[index] === undefined ? 'missing' : await findReason(registry, new JobPaths(parent), options);
    return reason && { jobName: parent, reason };
  });
  const away = (await Promise.all(found)).filter((one) => one !== undefined);
  if (!away.some(({ reason }) => reason === 'missing')) return away;
  const names = await registry.children('/', options);
  const others = names.filter(
    (name) => name !== child && !parents.includes(name) && findJobNameFault(name) === undefined,
  );
  return away.map((one) =>
    one.reason === 'missing' ? { ...one, nearest: findNearestName(one.jobName, others) } : one,
  );
}

/** The same of a parent in which this process takes part. Undefined: it runs. No request. */
export function awayParentOf(tree: JobTree): AwayParent | undefined {
  const instances = tree.instances();
  if (instances.some(({ serverIp }) => tree.serverStatus(serverIp) === 'ENABLED')) return undefined;
  return { jobName: tree.jobName, reason: instances.length === 0 ? 'no-instance' : 'disabled' };
}

async function findReason(
  registry: RegistryCenter,
  paths: JobPaths,
  options: RequestOptions,
): Promise<AwayReason | undefined> {
  const ids = await namesBelow(registry, paths.instances, options);
  if (ids.length === 0) return 'no-instance';
  const nodes = await registry.readMany(
    ids.map((id) => paths.instance(id)),
    options,
  );
  const instances = ids.flatMap((id, index) => instanceOf(id, nodes[index]) ?? []);
  if (instances.length === 0) return 'no-instance';
  const addresses = [...new Set(instances.map(({ serverIp }) => serverIp))];
  const servers = await registry.readMany(
    addresses.map((address) => paths.server(address)),
    options,
  );
  return servers.some((server) => server?.data === 'ENABLED') ? undefined : 'disabled';
}
