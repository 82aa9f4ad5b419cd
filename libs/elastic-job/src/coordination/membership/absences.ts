import type { Clock } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Long enough to do what follows from an absence, and short enough to keep no instance for ever. */
const REMEMBERED_MS = 60_000;

/**
 * How long instances have been missing, as this one sees it, and whether their grace is over. There are two reasons for
 * one: at every reconnect a Java peer deletes its instance node and creates it anew, so what is missing for a moment
 * only has not crashed; and an instance of ours that an operator has shut down lives, and puts away what it runs.
 */
export class Absences {
  private readonly since = new WeakMap<JobTree, Map<string, number>>();

  /** @param graceMsOf how long an instance of the job is missing before it is taken for gone, in milliseconds */
  constructor(
    private readonly clock: Clock,
    private readonly graceMsOf: (jobName: JobName) => number,
  ) {}

  /** Starts the clock for those of the instances that are not registered; call it when one vanishes. */
  note(tree: JobTree, instanceIds: Iterable<string>): void {
    const since = this.since.get(tree) ?? new Map<string, number>();
    for (const id of instanceIds) {
      if (!tree.hasInstance(id) && !since.has(id)) since.set(id, this.clock.monotonicNow());
    }
    const mostMs = this.graceMsOf(tree.jobName) + REMEMBERED_MS;
    for (const [id, at] of since) {
      const isForgotten = this.clock.monotonicNow() - at > mostMs;
      if (isForgotten || tree.hasInstance(id)) since.delete(id);
    }
    if (since.size > 0) this.since.set(tree, since);
    else this.since.delete(tree);
  }

  /** True if it is missing, and has been for the whole grace. As of the last sync. */
  isGone(tree: JobTree, instanceId: string): boolean {
    return !tree.hasInstance(instanceId) && this.remainingMs(tree, instanceId) === 0;
  }

  /** How long until nobody who is missing may still come back, in milliseconds. */
  longestRemainingMs(tree: JobTree): number {
    return Math.max(0, ...this.allRemainingMs(tree));
  }

  /**
   * How long until the next of those who are missing is gone for good, in milliseconds; undefined: nobody is waited
   * for.
   */
  nextGoneInMs(tree: JobTree): number | undefined {
    const remaining = this.allRemainingMs(tree).filter((ms) => ms > 0);
    return remaining.length === 0 ? undefined : Math.min(...remaining);
  }

  /** There is nothing to wait for any more. @returns whether the instance was noted as missing */
  forget(tree: JobTree, instanceId: string): boolean {
    return this.since.get(tree)?.delete(instanceId) === true;
  }

  private allRemainingMs(tree: JobTree): number[] {
    const missing = [...(this.since.get(tree)?.keys() ?? [])].filter((id) => !tree.hasInstance(id));
    return missing.map((id) => this.remainingMs(tree, id));
  }

  private remainingMs(tree: JobTree, instanceId: string): number {
    const since = this.since.get(tree)?.get(instanceId);
    const graceMs = this.graceMsOf(tree.jobName);
    return since === undefined ? graceMs : Math.max(0, since + graceMs - this.clock.monotonicNow());
  }
}
