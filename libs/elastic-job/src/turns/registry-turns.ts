import type { Clock, Timer } from '../clock/index.js';
import { WorkLimit } from './work-limit.js';

/** Most items of created jobs for which this process writes to the registry at the same time. */
const MOST_ITEMS = 500;
/** Milliseconds after which a slow write no longer keeps others waiting. */
const LONGEST_MS = 5_000;

/**
 * Shares the registry, and the memory of this process, among the jobs that were created from templates.
 *
 * Every writer of the registry can make many of them. If all wrote at once, their requests would wait at the servers
 * before those of the code's jobs, and everything that they hold would wait in memory. So what a created job writes for
 * many items (begins, plans, misfire flags) waits while others do, while ends of their runs are not recorded, and while
 * their handlers wait for the event loop. It waits before it is prepared. The code's jobs wait for nobody.
 */
export class RegistryTurns extends WorkLimit {
  /**
   * @param isLoopBusy true while handlers of created jobs wait for the event loop; call `serve` when they do no more
   */
  constructor(clock: Pick<Clock, 'setTimer'>, isLoopBusy: () => boolean) {
    super(clock, { most: MOST_ITEMS, longestMs: LONGEST_MS, isHeld: isLoopBusy });
  }

  /** Counts items of one lease from their ends until these are recorded. */
  unrecorded(): UnrecordedEnds {
    return new UnrecordedEnds(this.clock, (more) => this.count(more));
  }
}

/** Items of one lease that have ended, and whose ends are not recorded. */
export class UnrecordedEnds {
  private items = 0;
  private timer: Timer | undefined;
  private isForgotten = false;

  constructor(
    private readonly clock: Pick<Clock, 'setTimer'>,
    private readonly count: (more: number) => void,
  ) {}

  ended(): void {
    if (this.isForgotten) return;
    this.add(1);
    // Ends that the registry does not take keep no other job waiting.
    this.timer ??= this.clock.setTimer(LONGEST_MS, () => {
      this.isForgotten = true;
      this.add(-this.items);
    });
  }

  recorded(): void {
    if (this.items === 0) return;
    this.add(-1);
    if (this.items > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private add(more: number): void {
    this.items += more;
    this.count(more);
  }
}
