import { type JobName, parseRunRecord, type StoredRecord } from '../../domain/index.js';
import type { RegistryCenter, RequestOptions } from '../../registry/index.js';
import { JobPaths } from '../job-tree/index.js';

/**
 * Reads the records of items of any jobs as they stand now: everything that was written before the call is seen.
 * @returns one for each item, in their order; undefined: it has none, or its job is gone
 */
export async function readRecords(
  registry: RegistryCenter,
  items: readonly { readonly jobName: JobName; readonly item: number }[],
  options?: RequestOptions,
): Promise<readonly (StoredRecord | undefined)[]> {
  // A transaction passes through ZooKeeper's leader: the server that answers the reads is as new as it from then on.
  await registry.transaction([{ kind: 'check', path: '/' }], options);
  const paths = items.map(({ jobName, item }) => new JobPaths(jobName).record(item));
  const nodes = await registry.readMany(paths, options);
  return nodes.map((node) => node && parseRunRecord(node.data, node.stat.mtime));
}
