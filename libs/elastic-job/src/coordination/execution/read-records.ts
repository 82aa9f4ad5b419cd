import { type JobName, parseRunRecord, type StoredRecord } from '../../domain/index.js';
import type { RegistryCenter, RequestOptions } from '../../registry/index.js';
import { JobPaths } from '../job-tree/index.js';

/**
 * Reads the present records of items of any jobs. Everything written before the call is seen.
 * @returns one record for each item, in the same order; undefined if it has none, or its job is gone
 */
export async function readRecords(
  registry: RegistryCenter,
  items: readonly { readonly jobName: JobName; readonly item: number }[],
  options?: RequestOptions,
): Promise<readonly (StoredRecord | undefined)[]> {
  // A transaction passes through ZooKeeper's leader, so afterwards the server that answers the reads is as recent.
  await registry.transaction([{ kind: 'check', path: '/' }], options);
  const paths = items.map(({ jobName, item }) => new JobPaths(jobName).record(item));
  const nodes = await registry.readMany(paths, options);
  return nodes.map((node) => node && parseRunRecord(node.data, node.stat.mtime));
}
