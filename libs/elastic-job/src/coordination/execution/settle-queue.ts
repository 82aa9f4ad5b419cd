import type { Clock } from '../../clock/index.js';
import type { RunNote } from '../../domain/index.js';
import { type Operation, RegistryUnavailableError } from '../../registry/index.js';
import { RunNotes } from '../dependencies/index.js';
import { type JobTree, readWhenAnswering } from '../job-tree/index.js';

/** What the tree says of an end: still to be written, written, or that another run has taken the item over. */
export type Standing = 'open' | 'recorded' | 'fenced';

/** An item that has ended, on its way into a settle transaction. */
export interface EndedItem {
  /** The nodes that show what has become of it. */
  readonly paths: readonly string[];
  readonly operations: readonly Operation[];
  /** Somebody has put another run's mark in the place of this one's: look again before anything is written. */
  readonly isDisturbed: boolean;
  /** What its end means for the jobs that are started after this one. @default nothing */
  readonly note?: RunNote;
  /**
   * Called after the reply was lost or the operations were refused, with the paths loaded. If it is open, the operations are
   * those that are left to do.
   */
  lookAgain(): Standing;
  /** Called once, when it is known whether the end was recorded or another run had taken the item over. */
  onSettled(isRecorded: boolean): void;
}

/** An end whose operations are refused so often although they were decided anew is given up. */
const MOST_REFUSALS = 10;

/**
 * Group commit: one settle transaction is in flight per job and instance; whatever ends meanwhile joins the next one.
 */
export class SettleQueue {
  private ended: EndedItem[] = [];
  private isCommitting = false;

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
    private readonly notes = new RunNotes(tree, clock),
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
    // The rest is for what is written beside them.
    const most = this.ended.some(({ note }) => note !== undefined)
      ? registry.maxRequestBytes / 2
      : registry.maxRequestBytes;
    let count = this.ended.length;
    const size = () => registry.transactionBytes(this.ended.slice(0, count).flatMap(({ operations }) => operations));
    while (count > 1 && size() > most) count = Math.ceil(count / 2);
    return this.ended.splice(0, count);
  }

  private async commit(batch: readonly EndedItem[]): Promise<void> {
    const refusals = new Map<EndedItem, number>();
    let open = batch;
    let disturbed = batch.filter(({ isDisturbed }) => isDisturbed);
    while (open.length > 0) {
      try {
        if (disturbed.length > 0) open = await this.withoutEnded(open, disturbed);
        disturbed = [];
        if (open.length > 0) open = await this.tryCommit(open, refusals);
      } catch (error) {
        open = error instanceof RegistryUnavailableError ? await this.afterLostReply(open) : giveUp(open);
      }
    }
    await this.notes.end();
  }

  /** @returns what has to be tried again. */
  private async tryCommit(
    batch: readonly EndedItem[],
    refusals: Map<EndedItem, number>,
  ): Promise<readonly EndedItem[]> {
    const noted = await this.notes.of(batch.flatMap(({ note }) => note ?? []));
    const operations = batch.flatMap((ended) => ended.operations);
    const result = await this.tree.registry.transaction([...operations, ...noted.operations], {
      signal: this.tree.signal,
    });
    if (result.kind === 'committed') {
      noted.onCommitted(result.results.slice(operations.length));
      for (const ended of batch) ended.onSettled(true);
      return [];
    }
    let { index } = result;
    if (index >= operations.length) {
      await this.notes.lookAgain(result.path);
      return batch;
    }
    const refused = batch.find((ended) => (index -= ended.operations.length) < 0) ?? batch[0]!;
    const count = (refusals.get(refused) ?? 0) + 1;
    refusals.set(refused, count);
    if (count <= MOST_REFUSALS) return this.withoutEnded(batch, [refused]);
    giveUp([refused]);
    return batch.filter((ended) => ended !== refused);
  }

  /** The transaction may have been applied: the tree tells. */
  private async afterLostReply(batch: readonly EndedItem[]): Promise<readonly EndedItem[]> {
    try {
      return await this.withoutEnded(batch, batch);
    } catch {
      return giveUp(batch);
    }
  }

  /**
   * Looks what has become of some of a batch. @returns the batch without those that are over
   * @throws the reason for which the tree was closed
   */
  private async withoutEnded(
    batch: readonly EndedItem[],
    doubtful: readonly EndedItem[],
  ): Promise<readonly EndedItem[]> {
    const paths = doubtful.flatMap((ended) => ended.paths);
    await readWhenAnswering(this.tree, this.clock, paths);
    const over = new Set<EndedItem>();
    for (const ended of doubtful) {
      const standing = ended.lookAgain();
      if (standing === 'open') continue;
      over.add(ended);
      ended.onSettled(standing === 'recorded');
    }
    return batch.filter((ended) => !over.has(ended));
  }
}

/** Once the session is over, nothing can be settled. @returns what is left to try: nothing */
function giveUp(batch: readonly EndedItem[]): readonly EndedItem[] {
  for (const ended of batch) ended.onSettled(false);
  return [];
}
