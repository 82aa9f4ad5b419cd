import type { Clock, Timer } from '../clock/index.js';

interface WaitingWork {
  readonly size: number;
  readonly goOn: () => void;
}

interface WorkLimitOptions {
  /** Most work at once, in the unit of its sizes. */
  readonly most: number;
  /** Milliseconds for which one piece of work counts at most. */
  readonly longestMs: number;
  /** True while no work may begin. Call `serve` when it may again. */
  readonly isHeld?: () => boolean;
}

/**
 * Limits work that is under way at once; the rest waits, in the order of the calls. Work that is larger than the limit
 * goes on alone. Work that takes long, for example because the registry keeps refusing it, stops counting after a while
 * and goes on beside the others.
 *
 * A wait has no signal and no deadline of its own. It ends at the latest when each piece before it has counted for
 * `longestMs`, and nothing is held any more. Work that is not wanted any more has its turn as well, so it looks for
 * that itself when it begins, and is over at once.
 */
export class WorkLimit {
  /** Size of the work under way. */
  private size = 0;
  private readonly waiting: WaitingWork[] = [];

  constructor(
    protected readonly clock: Pick<Clock, 'setTimer'>,
    private readonly options: WorkLimitOptions,
  ) {}

  /** Does work of that size when it is its turn. @throws the error of the work */
  async run<T>(size: number, work: () => Promise<T>): Promise<T> {
    if (this.waiting.length > 0 || !this.hasRoomFor(size))
      await new Promise<void>((resolve) => this.waiting.push({ size, goOn: resolve }));
    else this.size += size;
    let counted = size;
    const leave = (): void => {
      this.count(-counted);
      counted = 0;
    };
    const timer = this.clock.setTimer(this.options.longestMs, leave);
    try {
      return await work();
    } finally {
      timer.cancel();
      leave();
    }
  }

  /** Lets work go on for which there is room now, in the order of the calls. */
  serve(): void {
    while (this.waiting.length > 0 && this.hasRoomFor(this.waiting[0]!.size)) {
      const { size, goOn } = this.waiting.shift()!;
      this.size += size;
      goOn();
    }
  }

  /** Counts so much more work as under way, or less. */
  protected count(more: number): void {
    this.size += more;
    if (more < 0) this.serve();
  }

  private hasRoomFor(size: number): boolean {
    const { isHeld, most } = this.options;
    return isHeld?.() !== true && (this.size === 0 || this.size + size <= most);
  }
}

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
class UnrecordedEnds {
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
