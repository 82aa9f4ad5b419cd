import type { Clock, Timer } from '../clock/index.js';

class QueuedTimer implements Timer {
  /** Its index in the heap; -1 once it has fired or was cancelled. */
  place = -1;

  /**
   * @param due on the monotonic clock
   * @param order timers of one instant fire in the order in which they were set
   */
  constructor(
    readonly due: number,
    readonly order: number,
    readonly callback: () => void,
    private readonly queue: { cancel(queued: QueuedTimer): void },
  ) {}

  cancel(): void {
    this.queue.cancel(this);
  }
}

/** Timers fired in one turn. Between two turns the process serves its connections. */
const AT_ONCE = 32;
/** Timers that are due within this time of each other fire together, in milliseconds. */
const TOGETHER_MS = 1;

/**
 * Any number of timers on one timer of the clock: the earliest is set, the others wait in a binary heap.
 *
 * Timers that are due within a millisecond of each other fire together, the later ones up to that much early. Timers
 * for one instant of the wall clock, which shows whole milliseconds, are due as far apart.
 */
export class TimerQueue implements Pick<Clock, 'setTimer'> {
  private readonly heap: QueuedTimer[] = [];
  private count = 0;
  private armed: { readonly due: number; readonly timer: Timer } | undefined;
  /** While due timers fire, the clock's timer is set once, at the end. */
  private isFiring = false;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow' | 'nextTurn' | 'setTimer'>) {}

  /** @see Clock.setTimer */
  setTimer(ms: number, callback: () => void): Timer {
    this.count += 1;
    const queued = new QueuedTimer(this.clock.monotonicNow() + ms, this.count, callback, this);
    queued.place = this.heap.push(queued) - 1;
    this.rise(queued);
    this.arm();
    return queued;
  }

  /** Called by the timer itself. */
  cancel(queued: QueuedTimer): void {
    if (queued.place === -1) return;
    this.remove(queued);
    this.arm();
  }

  private wake(): void {
    this.armed = undefined;
    this.isFiring = true;
    this.fire(this.clock.monotonicNow() + TOGETHER_MS, this.count);
  }

  /**
   * Fires the timers that are due before `end`, some in each turn. Timers that were set after the `last` one wait for
   * the next wake, even if they are due at once.
   */
  private fire(end: number, last: number): void {
    const isDue = (next: QueuedTimer | undefined): next is QueuedTimer =>
      next !== undefined && next.due < end && next.order <= last;
    try {
      for (let left = AT_ONCE, [next] = this.heap; left > 0 && isDue(next); left -= 1, [next] = this.heap) {
        this.remove(next);
        next.callback();
      }
    } finally {
      if (isDue(this.heap[0])) {
        void this.clock.nextTurn().then(() => this.fire(end, last));
      } else {
        this.isFiring = false;
        this.arm();
      }
    }
  }

  private arm(): void {
    const [next] = this.heap;
    if (this.isFiring || this.armed?.due === next?.due) return;
    this.armed?.timer.cancel();
    this.armed = undefined;
    if (next === undefined) return;
    const timer = this.clock.setTimer(Math.max(0, next.due - this.clock.monotonicNow()), () => this.wake());
    this.armed = { due: next.due, timer };
  }

  private remove(queued: QueuedTimer): void {
    const last = this.heap.pop()!;
    if (last !== queued) {
      this.put(last, queued.place);
      this.rise(last);
      this.sink(last);
    }
    queued.place = -1;
  }

  private rise(queued: QueuedTimer): void {
    while (queued.place > 0) {
      const above = this.heap[(queued.place - 1) >> 1]!;
      if (isBefore(above, queued)) return;
      this.swap(above, queued);
    }
  }

  private sink(queued: QueuedTimer): void {
    for (;;) {
      const left = this.heap[2 * queued.place + 1];
      const right = this.heap[2 * queued.place + 2];
      const below = right !== undefined && isBefore(right, left!) ? right : left;
      if (below === undefined || isBefore(queued, below)) return;
      this.swap(queued, below);
    }
  }

  private swap(above: QueuedTimer, below: QueuedTimer): void {
    const { place } = above;
    this.put(above, below.place);
    this.put(below, place);
  }

  private put(queued: QueuedTimer, place: number): void {
    this.heap[place] = queued;
    queued.place = place;
  }
}

function isBefore(one: QueuedTimer, other: QueuedTimer): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}

/**
 * Moments on the monotonic clock at which fire times have come. The wall clock shows whole milliseconds, so the first
 * of several jobs that asks for a fire time knows it best.
 */
export class FireMoments {
  /** The last fire time that was asked for. */
  private last: { readonly fireTime: number; readonly latest: number } | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow' | 'wallNow'>) {}

  /**
   * The latest moment at which a fire time can have come that has come.
   * @param timerAt when its timer was due, which counts if the wall clock was set forward
   */
  of(fireTime: number, timerAt: number): number {
    const latest = this.clock.monotonicNow() - (this.clock.wallNow() - fireTime);
    if (this.last?.fireTime !== fireTime || latest < this.last.latest) this.last = { fireTime, latest };
    // A timer is due up to a millisecond later than its instant, by which timers of one instant differ.
    return Math.max(timerAt - 1, this.last.latest);
  }
}
