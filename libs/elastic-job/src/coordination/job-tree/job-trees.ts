import { findNearestName, type JobName, UnknownJobError } from '../../domain/index.js';
import { SessionLostError } from '../../registry/index.js';
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
