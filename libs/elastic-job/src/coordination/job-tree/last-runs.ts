import type { Clock } from '../../clock/index.js';
import { type LastRunKind, SparseMap } from '../../domain/index.js';
import type { JobNode } from './job-node.js';

/**
 * Last begun run of each item, as far as one instance has seen. Our instances write the record together with the mark;
 * a mark without a record is a run of a Java peer.
 */
export class LastRuns {
  /** By item: the time at which a mark without a record appeared, or that a record was written. */
  private readonly runs = new SparseMap<number, number | 'recorded'>();

  note(change: 'created' | 'changed' | 'deleted', node: JobNode, clock: Pick<Clock, 'wallNow'>): void {
    switch (node.kind) {
      case 'item-running':
        if (change === 'created') this.runs.set(node.item, clock.wallNow());
        return;
      case 'item-record':
        // A begin creates the mark first and writes the record last, even a record that it had to create.
        if (change === 'changed') this.runs.set(node.item, 'recorded');
        return;
      case 'item':
        // A new item has no runs.
        this.runs.delete(node.item);
        return;
      default:
    }
  }

  /** Forgets everything, since anything may have happened. */
  forget(): void {
    this.runs.clear();
  }

  of(item: number): LastRunKind {
    const run = this.runs.get(item);
    return typeof run === 'number' ? 'unrecorded' : (run ?? 'unknown');
  }

  /** Time of a run without a record that no recorded run has followed, in milliseconds since the epoch. */
  unrecordedAt(item: number): number | undefined {
    const run = this.runs.get(item);
    return typeof run === 'number' ? run : undefined;
  }
}
