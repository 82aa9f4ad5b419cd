import type { Clock } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';

/**
 * Milliseconds for which an absence is remembered: long enough to act on it, and short enough not to keep instances for
 * ever.
 */
const REMEMBERED_MS = 60_000;
/** Most absences remembered for a job. The grace of a forgotten one begins anew once the instance is looked for. */
const MOST_REMEMBERED = 10_000;

/**
 * Tracks how long instances have been missing, as seen here, and if their grace is over. There are two kinds. A Java
 * peer deletes and re-creates its instance node at every reconnect, so a short absence is not a crash. An instance of
 * ours that an operator has shut down still lives, and finishes its runs.
 */
export class Absences {
  /** The instant by instance id, the earliest first. */
  private readonly since = new WeakMap<JobTree, Map<string, number>>();

  /** @param graceMsOf milliseconds for which an instance of the job may be missing before it counts as gone */
  constructor(
    private readonly clock: Clock,
    private readonly graceMsOf: (jobName: JobName) => number,
  ) {}

  /** Starts the clock of those that are not registered, and forgets the others. Call it when one has come or gone. */
  note(tree: JobTree, instanceIds: Iterable<string>): void {
    const since = this.since.get(tree) ?? new Map<string, number>();
    const now = this.clock.monotonicNow();
    for (const id of instanceIds) {
      if (tree.hasInstance(id)) since.delete(id);
      else if (!since.has(id)) since.set(id, now);
    }
    this.forgetOld(since, now - this.graceMsOf(tree.jobName) - REMEMBERED_MS);
    if (since.size > 0) this.since.set(tree, since);
    else this.since.delete(tree);
  }

  // Looks at those alone that it forgets, since thousands may vanish in a row.
  private forgetOld(since: Map<string, number>, before: number): void {
    for (const [id, at] of since) {
      if (at >= before && since.size <= MOST_REMEMBERED) return;
      since.delete(id);
    }
  }

  /** True if it is missing and its grace is over. As of the last sync. */
  isGone(tree: JobTree, instanceId: string): boolean {
    return !tree.hasInstance(instanceId) && this.remainingMs(tree, instanceId) === 0;
  }

  /** Milliseconds until no missing instance can come back any more. */
  longestRemainingMs(tree: JobTree): number {
    return Math.max(0, ...this.allRemainingMs(tree));
  }

  /** Milliseconds until the next missing instance is gone for good; undefined if none is awaited. */
  nextGoneInMs(tree: JobTree): number | undefined {
    const remaining = this.allRemainingMs(tree).filter((ms) => ms > 0);
    return remaining.length === 0 ? undefined : Math.min(...remaining);
  }

  /** Forgets an absence, as there is nothing left to wait for. @returns true if the instance was noted as missing */
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
