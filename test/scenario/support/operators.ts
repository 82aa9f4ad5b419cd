import { formatTriggerRequest } from '../../../libs/elastic-job/src/coordination/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { TestCluster } from '../../../libs/elastic-job/src/testing/index.js';

/** The id under which an instance is registered now. */
export function idOf(cluster: TestCluster, instance: number): string {
  return [...cluster.instances[instance]!.instanceIds].at(-1)!;
}

/** Asks instances for a run as our operations do, with the same text for all in one transaction. No time passes. */
export async function ask(
  cluster: TestCluster,
  operator: RegistryCenter,
  jobName: string,
  request: { readonly id: string; readonly parameters?: string },
  instances: readonly number[] = [...cluster.instances.keys()],
): Promise<void> {
  await askWith(cluster, operator, jobName, formatTriggerRequest({ parameters: undefined, ...request }), instances);
}

/** Asks instances for a run as Java's lifecycle API does: with empty nodes. */
export async function askWith(
  cluster: TestCluster,
  operator: RegistryCenter,
  jobName: string,
  data: string,
  instances: readonly number[] = [...cluster.instances.keys()],
): Promise<void> {
  await operator.ensurePath(`/${jobName}/trigger`);
  const nodes = instances.map((instance) => `/${jobName}/trigger/${idOf(cluster, instance)}`);
  const result = await operator.transaction(nodes.map((path) => ({ kind: 'create', path, data, mode: 'PERSISTENT' })));
  if (result.kind === 'refused') throw new Error(`${result.path}: ${result.refusal}`);
}

/** Replaces a line of the job's `config` node. */
export async function editConfig(
  operator: RegistryCenter,
  jobName: string,
  line: RegExp,
  replacement: string,
): Promise<void> {
  const { data } = (await operator.read(`/${jobName}/config`))!;
  if (!line.test(data)) throw new Error(`The config node has no ${String(line)}:\n${data}`);
  await operator.set(`/${jobName}/config`, data.replace(line, replacement));
}
