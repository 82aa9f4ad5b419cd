import { type LastRunKind, SparseMap, SparseSet } from '../../domain/index.js';
import type { JobNode } from './job-node.js';

/**
 * Last begun run of each item, as far as one instance has seen. Our instances write the record together with the mark;
 * a mark without a record is a run of a Java peer.
 */
export class LastRuns {
  /** Time at which a mark without a record appeared, by item. */
  private readonly unrecorded = new SparseMap<number, number>();
  private readonly recorded = new SparseSet<number>();

  /** @param at milliseconds since the epoch */
  note(change: 'created' | 'changed' | 'deleted', node: JobNode, at: number): void {
    if (node.kind === 'item-running' && change === 'created') this.unrecorded.set(node.item, at);
    // A begin creates the mark first and writes the record last, even a record that it had to create.
    const isRecorded = node.kind === 'item-record' && change === 'changed';
    if (node.kind !== 'item' && !isRecorded) return;
    // A new item has no runs.
    this.unrecorded.delete(node.item);
    if (isRecorded) this.recorded.add(node.item);
    else this.recorded.delete(node.item);
  }

  /** Forgets everything, since anything may have happened. */
  forget(): void {
    this.unrecorded.clear();
    this.recorded.clear();
  }

  of(item: number): LastRunKind {
    if (this.unrecorded.has(item)) return 'unrecorded';
    return this.recorded.has(item) ? 'recorded' : 'unknown';
  }

  /** Time of a run without a record that no recorded run has followed, in milliseconds since the epoch. */
  unrecordedAt(item: number): number | undefined {
    return this.unrecorded.get(item);
  }
}
