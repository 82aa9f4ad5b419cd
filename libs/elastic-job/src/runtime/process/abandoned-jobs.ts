import type { Clock, Timer } from '../../clock/index.js';
import { removeAbandoned } from '../../coordination/index.js';
import type { JobName } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { BackOff } from '../../repeat/index.js';

/** Milliseconds until the next jobs are tried again. */
const AGAIN_MS = 1_000;
/** Pauses after failed attempts to join a job, to delete it or to look for jobs, in milliseconds. */
export const PAUSES = { firstMs: 1_000, longestMs: 30_000 };

/** Parts of the process that the deletion of jobs needs. */
interface AbandonedJobsParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  /** Told once of a job, until it is deleted. */
  onFailed(jobName: JobName, error: unknown): void;
  /** It is a job's turn again: call `isDeleted` soon if the job is still to be deleted. */
  onTurn(jobName: JobName): void;
}

/** The deletion of a job has failed. */
interface Failed {
  readonly backOff: BackOff;
  /** Reading of the monotonic clock from which the job may be tried again. */
  readonly until: number;
}

/**
 * Deletes jobs that are marked for removal, once no instance is in them.
 *
 * The last instance that leaves a job finds it empty. In case that one dies, the others try again, some jobs in each
 * turn: any writer of the registry can mark any number of roots, and put a node below each. A job whose deletion fails
 * lets turns pass.
 */
export class AbandonedJobs {
  /** Jobs that could not be deleted, the one that is tried next first. */
  private readonly left = new Set<JobName>();
  private readonly failed = new Map<JobName, Failed>();
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
      this.noteFailed(jobName);
      this.leave(jobName);
      return false;
    }
  }

  /** Forgets a job that is not to be deleted any more. */
  forget(jobName: JobName): void {
    this.failed.delete(jobName);
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

  private noteFailed(jobName: JobName): void {
    const { clock } = this.parts;
    const backOff = this.failed.get(jobName)?.backOff ?? new BackOff(clock, PAUSES);
    backOff.failed();
    this.failed.set(jobName, { backOff, until: clock.monotonicNow() + backOff.nextMs() });
  }

  private takeTurn(): void {
    this.next = undefined;
    const now = this.parts.clock.monotonicNow();
    const isDue = (jobName: JobName) => (this.failed.get(jobName)?.until ?? now) <= now;
    const turn = new Set([...this.left].filter(isDue).slice(0, this.atOnce));
    const others = [...this.left].filter((jobName) => !turn.has(jobName));
    this.left.clear();
    for (const jobName of others) this.leave(jobName);
    for (const jobName of turn) this.parts.onTurn(jobName);
  }
}
