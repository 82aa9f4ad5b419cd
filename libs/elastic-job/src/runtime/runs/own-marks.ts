import type { Timer } from '../../clock/index.js';
import { type Executions, type JobTree, releaseStrayMarks } from '../../coordination/index.js';
import { SparseMap } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { JobDuty, type News, type NewsEmitter, type Report } from '../news/index.js';
import { type RunningItems } from './running-items.js';

/**
 * Milliseconds between two looks. A mark that is too young at the first one is looked at in the second, at most 18 s
 * after it appeared, so none is left after 20 s.
 */
const COMPARE_MS = 15_000;
/** Younger marks most likely belong to short runs. */
const YOUNG_MS = 3_000;

/**
 * Compares the marks in this instance's name with its runs, and releases stray ones: no other instance would, since
 * their holder lives. It works from memory and makes a request only for a mark that has stood for a while and that this
 * instance has not written, once for each. Without marks it does not look at all.
 */
export class OwnMarks extends JobDuty {
  private timer: Timer | undefined;
  /** Moment on the monotonic clock since which an item is marked, as far as this session has seen. */
  private readonly markedSince = new SparseMap<number, number>();

  constructor(
    tree: JobTree,
    private readonly executions: Executions,
    private readonly running: RunningItems,
    private readonly events: JobEvents,
    private readonly news: NewsEmitter,
    report: Report,
  ) {
    super(tree, report, 'comparing marks');
  }

  itemMarked({ item }: News<'ItemMarked'>): void {
    if (!this.markedSince.has(item)) this.markedSince.set(item, this.tree.clock.monotonicNow());
    // Asked first, since each mark of a job with a thousand items comes here.
    if (this.timer === undefined && this.tree.isMarked(item)) this.compareLater();
  }

  itemReleased({ item }: News<'ItemReleased'>): void {
    this.markedSince.delete(item);
  }

  treeReset(): void {
    this.compareLater();
  }

  override stop(): void {
    super.stop();
    this.timer?.cancel();
  }

  /** Schedules a look at the marks. */
  compareLater(): void {
    if (this.timer !== undefined) return;
    if (this.tree.signal.aborted || this.marked.length === 0) return;
    this.timer = this.tree.clock.setTimer(COMPARE_MS, () => {
      this.timer = undefined;
      this.wake();
    });
  }

  protected async work(): Promise<void> {
    const { events, news, tree } = this;
    const { clock } = this.tree;
    const { marked } = this;
    for (const item of this.markedSince.keys()) if (!tree.isMarked(item)) this.markedSince.delete(item);
    this.compareLater();
    const youngest = clock.monotonicNow() - YOUNG_MS;
    const old = marked.filter((item) => (this.markedSince.get(item) ?? -Infinity) <= youngest && !this.isRun(item));
    if (old.length === 0) return;
    const isRun = (item: number) => this.isRun(item);
    const isSweepNeeded = await releaseStrayMarks(tree, clock, old, isRun, (released) => {
      events.emit({ kind: 'mark-released', jobName: tree.jobName, ...released });
      news.emit({ kind: 'WorkExpected' });
    });
    if (isSweepNeeded) news.emit({ kind: 'SweepNeeded' });
  }

  private get marked(): readonly number[] {
    const { tree } = this;
    return tree.items().filter((item) => tree.isMarked(item));
  }

  /**
   * True if the item runs with a mark. That includes a begin or settle under way, and a handler that outlives its
   * session.
   */
  private isRun(item: number): boolean {
    const { running, tree } = this;
    return running.leaseOf(item)?.run !== undefined || this.executions.isOwnRun(tree, item);
  }
}
