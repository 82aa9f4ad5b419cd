import type { Clock } from '../../clock/index.js';
import { Batch, SparseMap, SparseSet } from '../../domain/index.js';
import {
  isRefusal,
  type Operation,
  operationsOf,
  type RequestPolicy,
  SessionLostError,
  type TransactionResult,
  untilServed,
} from '../../registry/index.js';
import { RunNotes } from '../dependencies/index.js';
import { type JobTree, readNow } from '../job-tree/index.js';
import type { EndedItem } from './ended-item.js';
import { type DelayedSettles, WaitingSettles } from './waiting-settles.js';

/**
 * Consecutive lost races that are decided anew at once. After them there is a pause, and one more after each further
 * race.
 */
const MOST_REFUSALS = 10;

/** Lost races of one commit so far. */
type LostRaces = SparseMap<EndedItem | 'count', number>;

/**
 * Group commit of ends: one settle transaction is in flight per job and instance, and ends that come meanwhile join the
 * next one.
 *
 * An end is repeated until it is recorded, another run has taken over the item, or the session is over. If an end were
 * dropped, its item would stay marked by a living instance for ever. Ends that the server refuses wait together. Pauses
 * grow to 5 s; without a connection, its return ends them.
 */
export class SettleQueue {
  private readonly ended = new Batch<EndedItem>();
  private isCommitting = false;
  /** Ends to try again after the pause. */
  private postponed: EndedItem[] = [];
  private isPausing = false;
  /** Ends whose last attempt may or may not have been applied. */
  private readonly doubtful = new SparseSet<EndedItem>();
  private readonly waiting: WaitingSettles;
  private readonly pauses: RequestPolicy;

  /** @param onDelayed hears of ends that are not recorded in time */
  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
    private readonly notes = new RunNotes(tree, clock),
    onDelayed: (delayed: DelayedSettles) => void = () => {},
  ) {
    this.waiting = new WaitingSettles(tree.jobName, clock, onDelayed);
    this.pauses = untilServed(tree.registry, clock, { signal: tree.signal });
  }

  /** Ends that were reported as late and are still not recorded. */
  get delayed(): DelayedSettles | undefined {
    return this.waiting.delayed;
  }

  add(item: EndedItem): void {
    this.ended.add(item);
    if (!this.isCommitting) void this.commitAll();
  }

  private async commitAll(): Promise<void> {
    this.isCommitting = true;
    // Due runs of all jobs must begin before the ends of others are even prepared. Ends that come meanwhile share the
    // transaction.
    await this.tree.registry.calm();
    while (this.ended.size > 0) await this.commit();
    this.isCommitting = false;
  }

  /** Takes as many ends as fit one request beside others; at least one if there are no others. */
  private take(beside: readonly EndedItem[] = []): EndedItem[] {
    const { registry } = this.tree;
    const all = [...beside, ...this.ended.list];
    // The other half is for the counts that are written with them.
    const most = all.some(({ note }) => note !== undefined) ? registry.maxRequestBytes / 2 : registry.maxRequestBytes;
    const least = beside.length === 0 ? 1 : 0;
    let count = this.ended.size;
    const size = () => registry.transactionBytes(operationsOf(all.slice(0, beside.length + count)));
    while (count > least && size() > most) count = Math.max(least, Math.floor(count / 2));
    return this.ended.take(count);
  }

  private async commit(): Promise<void> {
    const lostRaces: LostRaces = new SparseMap();
    let open: readonly EndedItem[] = [];
    let unclear: readonly EndedItem[] = [];
    try {
      open = this.take();
      unclear = this.unclearOf(open);
    } catch (error) {
      // The session has ended meanwhile, so that its view answers nothing.
      open = this.afterFailure([...open, ...this.ended.take()], error);
    }
    while (open.length > 0) {
      try {
        if (open.some(({ note }) => note !== undefined)) {
          const joined = await this.joinedInTurn(open);
          open = [...open, ...joined];
          unclear = [...unclear, ...this.unclearOf(joined)];
        }
        if (unclear.length > 0) open = await this.withoutEnded(open, unclear);
        unclear = [];
        if (open.length > 0) open = await this.tryCommit(open, lostRaces);
      } catch (error) {
        open = this.afterFailure(open, error);
      }
    }
    const releasing = this.notes.end();
    if (releasing !== undefined) await releasing;
  }

  private unclearOf(batch: readonly EndedItem[]): readonly EndedItem[] {
    return batch.filter((ended) => ended.isDisturbed || this.doubtful.has(ended));
  }

  /**
   * Waits for this instance's turn to count. @returns items that have ended meanwhile, as far as they fit the same
   * request; each turn may take seconds, so they need not wait for the next one
   */
  private async joinedInTurn(open: readonly EndedItem[]): Promise<readonly EndedItem[]> {
    await this.notes.turn();
    return this.take(open);
  }

  /** @returns the ends to try again at once */
  private async tryCommit(batch: readonly EndedItem[], lostRaces: LostRaces): Promise<readonly EndedItem[]> {
    const noting = this.notes.of(batch.flatMap(({ note }) => note ?? []));
    const noted = noting instanceof Promise ? await noting : noting;
    const operations = operationsOf(batch);
    const result = await this.send(batch, operations, noted.operations);
    if (result.kind === 'committed') {
      noted.onCommitted(result.results.slice(operations.length));
      for (const ended of batch) this.conclude(ended, true);
      return [];
    }
    let { index } = result;
    const isCount = index >= operations.length;
    const refused = isCount ? undefined : batch.find((ended) => (index -= ended.operations.length) < 0);
    const times = (lostRaces.get(refused ?? 'count') ?? 0) + 1;
    lostRaces.set(refused ?? 'count', times);
    if (isCount) await this.notes.readAgain(result.path);
    const open = refused === undefined ? batch : await this.withoutEnded(batch, [refused]);
    const isLate = refused !== undefined && this.waiting.has(refused);
    if (times < (isLate ? 1 : MOST_REFUSALS)) return open;
    lostRaces.clear();
    const stuck = refused === undefined ? open : open.filter((ended) => ended === refused);
    this.postpone(stuck, new Error(`${result.path}: refused repeatedly (${result.refusal})`));
    return open.filter((ended) => !stuck.includes(ended));
  }

  /**
   * Sends a settle. With counts it leaves at once and alone, since others write the counts too and other jobs must not
   * wait.
   */
  private send(
    batch: readonly EndedItem[],
    operations: readonly Operation[],
    counts: readonly Operation[],
  ): Promise<TransactionResult> {
    if (counts.length > 0) return this.tree.commit([...operations, ...counts]);
    const dueAt = Math.min(...batch.map(({ fireTime }) => fireTime));
    return this.tree.commitShared(operations, dueAt, { signal: this.tree.signal, isPatient: true });
  }

  /** @returns nothing to try again at once */
  private afterFailure(batch: readonly EndedItem[], error: unknown): readonly EndedItem[] {
    if (this.tree.signal.aborted || error instanceof SessionLostError) return this.giveUp(batch);
    if (!isRefusal(error)) for (const ended of batch) this.doubtful.add(ended);
    this.postpone(batch, error);
    return [];
  }

  private postpone(late: readonly EndedItem[], error: unknown): void {
    for (const ended of late) this.waiting.add(ended, error);
    this.postponed.push(...late);
    if (this.postponed.length > 0 && !this.isPausing) void this.repeatLater();
  }

  private async repeatLater(): Promise<void> {
    this.isPausing = true;
    const isOver = await this.pauses.wait().then(
      (isOpen) => !isOpen,
      () => true,
    );
    this.isPausing = false;
    const again = this.postponed.splice(0);
    if (isOver) return void this.giveUp(again);
    for (const ended of again) this.ended.add(ended);
    if (!this.isCommitting) void this.commitAll();
  }

  /**
   * Finds out which of some unclear ends are over. @returns the batch without those
   * @throws the error that prevents reading, or the reason for which the tree was closed
   */
  private async withoutEnded(
    batch: readonly EndedItem[],
    unclear: readonly EndedItem[],
  ): Promise<readonly EndedItem[]> {
    await readNow(
      this.tree,
      unclear.flatMap((ended) => ended.paths),
    );
    const over = new Set<EndedItem>();
    for (const ended of unclear) {
      const standing = ended.judgeStanding();
      this.doubtful.delete(ended);
      if (standing === 'open') continue;
      over.add(ended);
      this.conclude(ended, standing === 'recorded');
    }
    return batch.filter((ended) => !over.has(ended));
  }

  /** Gives up, since nothing can be settled once the session is over. @returns nothing left to try */
  private giveUp(batch: readonly EndedItem[]): readonly EndedItem[] {
    for (const ended of batch) this.conclude(ended, false);
    return [];
  }

  private conclude(ended: EndedItem, isRecorded: boolean): void {
    this.doubtful.delete(ended);
    this.waiting.delete(ended);
    if (this.waiting.size === 0) this.pauses.backOff.succeeded();
    ended.onSettled(isRecorded);
  }
}
