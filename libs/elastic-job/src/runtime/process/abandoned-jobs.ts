import type { Clock, Timer } from '../../clock/index.js';
import { removeAbandoned } from '../../coordination/index.js';
import type { JobName } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';

/** Milliseconds until the next jobs are tried again. */
const AGAIN_MS = 1_000;

/** Parts of the process that the deletion of jobs needs. */
interface AbandonedJobsParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  /** Told once of a job, until it is deleted. */
  onFailed(jobName: JobName, error: unknown): void;
  /** It is a job's turn again: call `isDeleted` soon if the job is still to be deleted. */
  onTurn(jobName: JobName): void;
}

/**
 * Deletes jobs that are marked for removal, once no instance is in them.
 *
 * The last instance that leaves a job finds it empty. In case that one dies, the others try again, some jobs in each
 * turn: any writer of the registry can mark any number of roots, and put a node below each.
 */
export class AbandonedJobs {
  /** Jobs that could not be deleted, the one that is tried next first. */
  private readonly left = new Set<JobName>();
  /** Jobs whose deletion has failed. */
  private readonly failed = new Set<JobName>();
  private next: Timer | undefined;

  /** @param atOnce most jobs of a turn */
  constructor(
    private readonly atOnce: number,
    private readonly parts: AbandonedJobsParts,
  ) {}

  /** True if the job could not be deleted, and its turn has not come. */
  isLeft(jobName: JobName): boolean {
    return this.left.has(jobName);
  }

  /** @returns false if an instance is left in the job, or an error has come; then it is tried again in its turn */
  async isDeleted(jobName: JobName, signal: AbortSignal): Promise<boolean> {
    try {
      const isDeleted = await removeAbandoned(this.parts.registry, jobName, { signal });
      if (isDeleted) this.failed.delete(jobName);
      else if (!signal.aborted) this.leave(jobName);
      return isDeleted;
    } catch (error) {
      if (signal.aborted) return false;
      if (!this.failed.has(jobName)) this.parts.onFailed(jobName, error);
      this.failed.add(jobName);
      this.leave(jobName);
      return false;
    }
  }

  clear(): void {
    this.left.clear();
    this.failed.clear();
    this.next?.cancel();
    this.next = undefined;
  }

  private leave(jobName: JobName): void {
    this.left.add(jobName);
    this.next ??= this.parts.clock.setTimer(AGAIN_MS, () => this.takeTurn());
  }

  private takeTurn(): void {
    this.next = undefined;
    const all = [...this.left];
    this.left.clear();
    for (const jobName of all.slice(this.atOnce)) this.leave(jobName);
    for (const jobName of all.slice(0, this.atOnce)) this.parts.onTurn(jobName);
  }
}
