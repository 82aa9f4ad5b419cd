import { type LastRunKind, SparseMap, SparseSet } from '../../domain/index.js';
import type { JobNode } from './job-paths.js';

/**
 * Which run of each item began last, as far as one instance has seen. Ours write the record with their mark; after a
 * mark without one, the item was run by a Java peer.
 */
export class LastRuns {
  /** When the mark appeared that no record followed; by item. */
  private readonly unrecorded = new SparseMap<number, number>();
  private readonly recorded = new SparseSet<number>();

  /** @param at milliseconds since the epoch */
  note(change: 'created' | 'changed' | 'deleted', node: JobNode, at: number): void {
    if (node.kind === 'item-running' && change === 'created') this.unrecorded.set(node.item, at);
    // A begin creates the mark first and writes the record last, also one that it has had to create.
    const isRecorded = node.kind === 'item-record' && change === 'changed';
    if (node.kind !== 'item' && !isRecorded) return;
    // An item that is new has nothing to tell of.
    this.unrecorded.delete(node.item);
    if (isRecorded) this.recorded.add(node.item);
    else this.recorded.delete(node.item);
  }

  /** Anything may have happened. */
  forget(): void {
    this.unrecorded.clear();
    this.recorded.clear();
  }

  of(item: number): LastRunKind {
    if (this.unrecorded.has(item)) return 'unrecorded';
    return this.recorded.has(item) ? 'recorded' : 'unknown';
  }

  /** When a run without a record was seen that none with a record has followed, in milliseconds since the epoch. */
  unrecordedAt(item: number): number | undefined {
    return this.unrecorded.get(item);
  }
}
