import type { Clock } from '../../clock/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Long enough to do what follows from an absence, and short enough to keep no instance for ever. */
const REMEMBERED_MS = 60_000;

/**
 * How long instances have been missing, as this one sees it. At every reconnect a Java peer deletes its instance node and
 * creates it anew, so what is missing for a moment only has not crashed.
 */
export class Absences {
  private readonly since = new WeakMap<JobTree, Map<string, number>>();

  /** @param graceMs how long an instance is missing before it is taken for gone, in milliseconds */
  constructor(
    private readonly clock: Clock,
    private readonly graceMs: number,
  ) {}

  /** Starts the clock for those of the instances that are not registered; call it when one vanishes. */
  note(tree: JobTree, instanceIds: Iterable<string>): void {
    const since = this.since.get(tree) ?? new Map<string, number>();
    this.since.set(tree, since);
    for (const id of instanceIds) {
      if (!tree.hasInstance(id) && !since.has(id)) since.set(id, this.clock.monotonicNow());
    }
    for (const [id, at] of since) {
      const isForgotten = this.clock.monotonicNow() - at > this.graceMs + REMEMBERED_MS;
      if (isForgotten || tree.hasInstance(id)) since.delete(id);
    }
  }

  /** True if it is missing, and has been for the whole grace. As of the last sync. */
  isGone(tree: JobTree, instanceId: string): boolean {
    return !tree.hasInstance(instanceId) && this.remainingMs(tree, instanceId) === 0;
  }

  /** How long until nobody who is missing may still come back, in milliseconds. */
  longestRemainingMs(tree: JobTree): number {
    const missing = [...(this.since.get(tree)?.keys() ?? [])].filter((id) => !tree.hasInstance(id));
    return Math.max(0, ...missing.map((id) => this.remainingMs(tree, id)));
  }

  private remainingMs(tree: JobTree, instanceId: string): number {
    const since = this.since.get(tree)?.get(instanceId);
    return since === undefined ? this.graceMs : Math.max(0, since + this.graceMs - this.clock.monotonicNow());
  }
}
