import type { Clock, Timer } from '../../clock/index.js';
import {
  type CoordinationServices,
  type JobTree,
  type JobTreeEvent,
  releaseStrayMarks,
} from '../../coordination/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { type Reaction, registryReaction, type RunningItems } from '../leases/index.js';

/**
 * Between two looks, in milliseconds. A mark that is too young at the first is looked at in the second: 18 s after it
 * has appeared, and none is left after 20 s.
 */
const LOOK_MS = 15_000;
/** Younger marks are most likely those of short runs. */
const YOUNG_MS = 3_000;

export interface OwnMarksParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly events: JobEvents;
  readonly clock: Clock;
  readonly running: RunningItems;
  /** Items may be free now. */
  onReleased(): void;
  /** Marks name holders that are not registered, as after a crash or by somebody's hand. */
  onSweepDue(): void;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

/**
 * Compares the marks in this instance's name with what it runs, and releases the others: nobody else would, since their
 * holder lives. From memory: a request is made only for a mark that has stood for a while and that this instance has
 * not written, and once for each; where nothing is marked nothing is looked at.
 */
export class OwnMarks {
  private readonly looking: Reaction;
  private timer: Timer | undefined;
  /** Since when items are marked, on the monotonic clock, as far as this session has heard. */
  private readonly markedSince = new Map<number, number>();

  constructor(private readonly parts: OwnMarksParts) {
    this.looking = registryReaction(parts.tree, parts.clock, () => this.look(), parts.report('comparing marks'));
  }

  start(): void {
    this.lookLater();
  }

  stop(): void {
    this.timer?.cancel();
    this.looking.stop();
  }

  hear(event: JobTreeEvent): void {
    if (event.kind === 'ItemReleased') this.markedSince.delete(event.item);
    if (event.kind === 'ItemMarked' && !this.markedSince.has(event.item)) {
      this.markedSince.set(event.item, this.parts.clock.monotonicNow());
    }
    if (event.kind === 'ItemMarked' || event.kind === 'TreeReset') this.lookLater();
  }

  private lookLater(): void {
    if (this.parts.tree.signal.aborted) return;
    this.timer ??= this.parts.clock.setTimer(LOOK_MS, () => {
      this.timer = undefined;
      this.looking.wake();
    });
  }

  private async look(): Promise<void> {
    const { clock, events, tree } = this.parts;
    const marked = tree.items().filter((item) => tree.isMarked(item));
    for (const item of this.markedSince.keys()) if (!marked.includes(item)) this.markedSince.delete(item);
    if (marked.length > 0) this.lookLater();
    const youngest = clock.monotonicNow() - YOUNG_MS;
    const old = marked.filter((item) => (this.markedSince.get(item) ?? -Infinity) <= youngest && !this.isRun(item));
    if (old.length === 0) return;
    const { released, isSweepDue, failures } = await releaseStrayMarks(tree, clock, old, (item) => this.isRun(item));
    for (const one of released) events.emit({ kind: 'mark-released', jobName: tree.jobName, ...one });
    if (released.length > 0) this.parts.onReleased();
    if (isSweepDue) this.parts.onSweepDue();
    if (failures.length > 0) throw failures[0];
  }

  /** With a mark: also while it is being begun or settled, and as long as its handler goes on after its session. */
  private isRun(item: number): boolean {
    const { running, services, tree } = this.parts;
    return running.leaseOf(item)?.run !== undefined || services.executions.isOwnRun(tree, item);
  }
}
