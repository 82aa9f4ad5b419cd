/**
 * Ends of runs on their way into the registry.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> queued: its run has ended
 *   queued --> sent: the next transaction takes it
 *   queued --> asked: the same, and Java has changed its marks
 *   sent --> over: recorded
 *   sent --> asked: another write was faster
 *   sent --> resting: refused, or too often too slow
 *   sent --> doubtful: no answer
 *   asked --> sent: still open
 *   asked --> over: recorded before, or overtaken by another run
 *   asked --> doubtful: its nodes cannot be read
 *   resting --> queued: the pause is over
 *   doubtful --> asked: the pause is over
 * ```
 *
 * State: `asked` is an end whose nodes are read before it is written, since it may have been recorded. Whatever its
 * state, an end is over with its session.
 *
 * Guarantees: one settle transaction is in flight per job and instance, and ends that come meanwhile join the next one.
 * An end is repeated until it is over. If it were dropped, its item would stay marked by a living instance for ever.
 *
 * Failures: ends that the registry refuses, or does not answer, rest together. Pauses grow to 5 s; without a
 * connection, its return ends them. @see DelayAlarm
 */
import type { Clock } from '../../clock/index.js';
import { SparseSet } from '../../domain/index.js';
import {
  isRefusal,
  operationsOf,
  type RequestPolicy,
  SessionLostError,
  type TransactionResult,
  untilServed,
} from '../../registry/index.js';
import { RunNotes } from '../dependencies/index.js';
import { type JobTree, readNow } from '../job-tree/index.js';
import { DelayAlarm, type DelayedSettles, type End } from './delay-alarm.js';
import type { EndedItem } from './ended-run.js';

/**
 * Consecutive lost races that are decided anew at once. After them there is a pause, and one more after each further
 * race.
 */
const MOST_LOST_RACES = 10;

/** Group commit of the ends of one job in one session. */
export class SettleQueue {
  /** All that are not over, in the order in which they came to their state. */
  private readonly ends = new SparseSet<End>();
  private isCommitting = false;
  private isPausing = false;
  /** Races that the counts of the present commit have lost. */
  private lostCounts = 0;
  private readonly alarm: DelayAlarm;
  private readonly pauses: RequestPolicy;

  /** @param onDelayed called with ends that are not recorded in time */
  constructor(
    private readonly tree: JobTree,
    clock: Clock,
    private readonly notes = new RunNotes(tree, clock),
    onDelayed: (delayed: DelayedSettles) => void = () => {},
  ) {
    this.alarm = new DelayAlarm(tree.jobName, clock, this.ends, onDelayed);
    this.pauses = untilServed(tree.registry, clock, { signal: tree.signal });
  }

  /** Ends that were reported as late and are still not recorded. */
  get delayed(): DelayedSettles | undefined {
    return this.alarm.delayed;
  }

  add(ended: EndedItem): void {
    this.move({ ended, state: 'queued', lostRaces: 0, delay: undefined }, 'queued');
    if (!this.isCommitting) void this.commitAll();
  }

  private move(end: End, state: End['state']): void {
    end.state = state;
    this.ends.delete(end);
    if (state !== 'over') this.ends.add(end);
  }

  private async commitAll(): Promise<void> {
    this.isCommitting = true;
    // Due runs of all jobs must begin before the ends of others are even prepared. Ends that come meanwhile share the
    // transaction.
    await this.tree.registry.calm();
    for (let batch = this.take(); batch.length > 0; batch = this.take()) await this.commit(batch);
    this.isCommitting = false;
  }

  /** Takes as many ends as fit one request beside others; at least one if there are no others. */
  private take(beside: readonly End[] = []): readonly End[] {
    const waiting = [...this.ends].filter(({ state }) => state === 'queued' || state === 'asked');
    try {
      const taken = waiting.slice(0, this.countThatFits(waiting, beside));
      for (const end of taken) {
        end.lostRaces = 0;
        this.move(end, end.state === 'asked' || end.ended.isDisturbed ? 'asked' : 'sent');
      }
      return taken;
    } catch (error) {
      // The session has ended meanwhile, so that its view answers nothing.
      this.fail(waiting, error);
      return [];
    }
  }

  private countThatFits(waiting: readonly End[], beside: readonly End[]): number {
    const { registry } = this.tree;
    const least = beside.length === 0 ? 1 : 0;
    let count = waiting.length;
    if (count <= least) return count;
    const all = [...beside, ...waiting].map(({ ended }) => ended);
    // The other half is for the counts that are written with them.
    const most = all.some(({ note }) => note !== undefined) ? registry.maxRequestBytes / 2 : registry.maxRequestBytes;
    const size = () => registry.transactionBytes(operationsOf(all.slice(0, beside.length + count)));
    while (count > least && size() > most) count = Math.max(least, Math.floor(count / 2));
    return count;
  }

  private async commit(taken: readonly End[]): Promise<void> {
    this.lostCounts = 0;
    for (let batch = taken; batch.length > 0;) batch = await this.attempt(batch);
    await this.notes.end();
  }

  /** @returns ends that have lost a race, and are sent again at once; those that have failed rest */
  private async attempt(taken: readonly End[]): Promise<readonly End[]> {
    let batch = taken;
    try {
      if (batch.some(({ state }) => state === 'asked')) batch = await this.ask(batch);
      if (batch.some(({ ended }) => ended.note !== undefined)) {
        // A turn to count may take seconds, so ends that come meanwhile need not wait for the next one.
        await this.notes.turn();
        batch = [...batch, ...this.take(batch)];
        batch = await this.ask(batch);
      }
      if (batch.length > 0) await this.send(batch);
    } catch (error) {
      this.fail(batch, error);
    }
    return batch.filter(({ state }) => state === 'sent');
  }

  /**
   * Finds out what has become of ends. @returns those of the batch that are still open
   * @throws the error that prevents reading, or the reason for which the tree was closed
   */
  private async ask(batch: readonly End[]): Promise<readonly End[]> {
    const asked = batch.filter(({ state }) => state === 'asked');
    const paths = asked.flatMap(({ ended }) => ended.paths);
    if (asked.length > 0) await readNow(this.tree, paths);
    for (const end of asked) {
      const standing = end.ended.judgeStanding();
      if (standing === 'open') this.move(end, 'sent');
      else this.conclude(end, standing === 'recorded');
    }
    return batch.filter(({ state }) => state === 'sent');
  }

  private async send(batch: readonly End[]): Promise<void> {
    const { tree, notes } = this;
    const ended = batch.map((end) => end.ended);
    const noted = await notes.of(ended.flatMap(({ note }) => note ?? []));
    const operations = operationsOf(ended);
    const dueAt = Math.min(...ended.map(({ fireTime }) => fireTime));
    // With counts it leaves at once and alone, since others write the counts too and other jobs must not wait.
    const result = await (noted.operations.length > 0
      ? tree.commit([...operations, ...noted.operations])
      : tree.commitShared(operations, dueAt, { signal: tree.signal, isPatient: true }));
    if (result.kind === 'refused') return this.loseRace(batch, result);
    noted.onCommitted(result.results.slice(operations.length));
    for (const end of batch) this.conclude(end, true);
  }

  private async loseRace(
    batch: readonly End[],
    { index, path, refusal }: Extract<TransactionResult, { readonly kind: 'refused' }>,
  ): Promise<void> {
    let left = index;
    const loser = batch.find(({ ended }) => (left -= ended.operations.length) < 0);
    const times = loser === undefined ? (this.lostCounts += 1) : (loser.lostRaces += 1);
    if (loser === undefined) await this.notes.readAgain(path);
    else {
      this.move(loser, 'asked');
      await this.ask([loser]);
    }
    if (times < (loser?.delay === undefined ? MOST_LOST_RACES : 1)) return;
    this.lostCounts = 0;
    for (const end of batch) end.lostRaces = 0;
    const error = new Error(`${path}: refused repeatedly (${refusal})`);
    for (const end of loser === undefined ? batch : [loser]) if (end.state === 'sent') this.rest(end, 'resting', error);
  }

  private fail(batch: readonly End[], error: unknown): void {
    const isOver = this.tree.signal.aborted || error instanceof SessionLostError;
    for (const end of batch) {
      if (end.state === 'over') continue;
      if (isOver) this.conclude(end, false);
      else this.rest(end, end.state === 'asked' || !isRefusal(error) ? 'doubtful' : 'resting', error);
    }
  }

  private rest(end: End, state: 'resting' | 'doubtful', error: unknown): void {
    this.alarm.note(end, error);
    this.move(end, state);
    if (!this.isPausing) void this.pause();
  }

  private async pause(): Promise<void> {
    this.isPausing = true;
    const isOpen = await this.pauses.wait().catch(() => false);
    this.isPausing = false;
    const rested = [...this.ends].filter(({ state }) => state === 'resting' || state === 'doubtful');
    for (const end of rested) {
      if (isOpen) this.move(end, end.state === 'resting' ? 'queued' : 'asked');
      else this.conclude(end, false);
    }
    if (isOpen && !this.isCommitting) void this.commitAll();
  }

  private conclude(end: End, isRecorded: boolean): void {
    this.move(end, 'over');
    if (this.alarm.forget(end)) this.pauses.backOff.succeeded();
    end.ended.onSettled(isRecorded);
  }
}
