import {
  type CreatedJob,
  findJobNameFault,
  findNearestName,
  type JobName,
  parseCreatedJob,
  parseRunRecord,
  type StoredRecord,
  UnknownJobError,
} from '../../domain/index.js';
import { type RegistryCenter, type RequestOptions, SessionLostError } from '../../registry/index.js';
import { JobPaths } from './job-paths.js';
import type { JobTree } from './job-tree.js';

/** Trees of the jobs in which this process takes part, by job name. */
export class JobTrees {
  private readonly trees = new Map<JobName, JobTree | undefined>();

  /** Makes a job known. It has no tree until it has joined. */
  declare(jobName: JobName): void {
    if (!this.trees.has(jobName)) this.trees.set(jobName, undefined);
  }

  forget(jobName: JobName): void {
    this.trees.delete(jobName);
  }

  set(tree: JobTree): void {
    this.trees.set(tree.jobName, tree);
  }

  /** Removes the tree of an ended session; the job waits for the next one. */
  unset(tree: JobTree): void {
    if (this.trees.get(tree.jobName) === tree) this.trees.set(tree.jobName, undefined);
  }

  /** The tree of a job in which this process takes part now. */
  find(jobName: JobName): JobTree | undefined {
    return this.trees.get(jobName);
  }

  /** @throws {UnknownJobError} @throws {SessionLostError} if the job has no session now */
  of(jobName: JobName): JobTree {
    const tree = this.trees.get(jobName);
    if (tree !== undefined) return tree;
    if (!this.trees.has(jobName)) {
      throw new UnknownJobError(jobName, 'process', false, findNearestName(jobName, [...this.trees.keys()]));
    }
    throw new SessionLostError(undefined);
  }
}

/** Most roots read at once. */
const ROOTS_AT_ONCE = 500;

/** A job whose root says that it was created from a template. */
export interface FoundJob extends CreatedJob {
  /** Identity of its root. */
  readonly czxid: bigint;
}

/**
 * Reads the roots of jobs, and gives those that were created from a template.
 * @param names children of the namespace, which need not be jobs
 * @throws the signal's reason
 */
export async function readCreatedJobs(
  registry: RegistryCenter,
  names: readonly string[],
  options: RequestOptions = {},
): Promise<Map<JobName, FoundJob>> {
  const jobs = names.filter((name) => findJobNameFault(name) === undefined);
  const found = new Map<JobName, FoundJob>();
  for (let from = 0; from < jobs.length; from += ROOTS_AT_ONCE) {
    const some = jobs.slice(from, from + ROOTS_AT_ONCE);
    const roots = await registry.readMany(
      some.map((name) => `/${name}`),
      options,
    );
    for (const [index, root] of roots.entries()) {
      const created = parseCreatedJob(root?.data ?? '');
      if (created !== undefined) found.set(some[index]!, { ...created, czxid: root!.stat.czxid });
    }
  }
  return found;
}

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

/**
 * The error for a job that the namespace does not have, with the name there that is nearest. One request; without its
 * answer no name is given.
 */
export async function unknownJob(registry: RegistryCenter, jobName: JobName): Promise<UnknownJobError> {
  const names = await registry.children('/').catch(() => []);
  const known = names.filter((name) => name !== jobName && findJobNameFault(name) === undefined);
  return new UnknownJobError(jobName, 'registry', false, findNearestName(jobName, known));
}
