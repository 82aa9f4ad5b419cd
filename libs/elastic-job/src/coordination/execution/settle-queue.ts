import type { Clock } from '../../clock/index.js';
import { type Operation, RegistryUnavailableError } from '../../registry/index.js';
import { type JobTree, readWhenAnswering } from '../job-tree/index.js';

/** An item that has ended, on its way into a settle transaction. */
export interface EndedItem {
  /** The node that shows the end. */
  readonly path: string;
  readonly operations: readonly Operation[];
  /** True if the tree shows this very end: asked after a reply was lost. */
  isSettled(): boolean;
  /** Called once, when it is known whether the end was recorded or another run had taken the item over. */
  onSettled(isRecorded: boolean): void;
}

/**
 * Group commit: one settle transaction is in flight per job and instance; whatever ends meanwhile joins the next one.
 */
export class SettleQueue {
  private ended: EndedItem[] = [];
  private isCommitting = false;

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
  ) {}

  add(item: EndedItem): void {
    this.ended.push(item);
    if (!this.isCommitting) void this.commitAll();
  }

  private async commitAll(): Promise<void> {
    this.isCommitting = true;
    // Handlers that end together end within one turn of the event loop; they share a transaction.
    await this.clock.nextTurn();
    while (this.ended.length > 0) await this.commit(this.take());
    this.isCommitting = false;
  }

  /** As many as fit one request. */
  private take(): EndedItem[] {
    const { registry } = this.tree;
    let count = this.ended.length;
    const size = () => registry.transactionBytes(this.ended.slice(0, count).flatMap(({ operations }) => operations));
    while (count > 1 && size() > registry.maxRequestBytes) count = Math.ceil(count / 2);
    return this.ended.splice(0, count);
  }

  private async commit(batch: readonly EndedItem[]): Promise<void> {
    let open = batch;
    while (open.length > 0) {
      try {
        open = await this.tryCommit(open);
      } catch (error) {
        open = error instanceof RegistryUnavailableError ? await this.afterLostReply(open) : giveUp(open);
      }
    }
  }

  /** @returns what has to be tried again: everything but the item that was refused. */
  private async tryCommit(batch: readonly EndedItem[]): Promise<readonly EndedItem[]> {
    const operations = batch.flatMap((ended) => ended.operations);
    const result = await this.tree.registry.transaction(operations, { signal: this.tree.signal });
    if (result.kind === 'committed') {
      for (const ended of batch) ended.onSettled(true);
      return [];
    }
    let index = result.index;
    const fenced = batch.find((ended) => (index -= ended.operations.length) < 0) ?? batch[0]!;
    fenced.onSettled(false);
    return batch.filter((ended) => ended !== fenced);
  }

  /** The transaction may have been applied: the records tell. */
  private async afterLostReply(batch: readonly EndedItem[]): Promise<readonly EndedItem[]> {
    try {
      await readWhenAnswering(
        this.tree,
        this.clock,
        batch.map(({ path }) => path),
      );
    } catch {
      return giveUp(batch);
    }
    const open = batch.filter((ended) => !ended.isSettled());
    for (const ended of batch) if (!open.includes(ended)) ended.onSettled(true);
    return open;
  }
}

/** Once the session is over, nothing can be settled. @returns what is left to try: nothing */
function giveUp(batch: readonly EndedItem[]): readonly EndedItem[] {
  for (const ended of batch) ended.onSettled(false);
  return [];
}
