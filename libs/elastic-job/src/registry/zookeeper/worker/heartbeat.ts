import type { Clock, Timer } from '../../../clock/index.js';

/** So many times in `maxBlockedMs` the other thread is looked after. */
const BEATS = 8;

/**
 * Asks another thread again and again whether it still turns, and tells when it has not answered for `maxBlockedMs`, or
 * up to an eighth longer. Only this thread's own time counts: while the whole process stands still, nobody is blamed.
 */
export class Heartbeat {
  private timer?: Timer;
  private isAsked = false;
  private unanswered = 0;

  constructor(
    private readonly clock: Clock,
    private readonly maxBlockedMs: number,
    private readonly ask: () => void,
    private readonly giveUp: () => void,
  ) {}

  /** Begins anew, also after `giveUp` was called. */
  start(): void {
    this.answered();
    this.wait();
  }

  answered(): void {
    this.isAsked = false;
    this.unanswered = 0;
  }

  stop(): void {
    this.timer?.cancel();
  }

  private wait(): void {
    this.timer?.cancel();
    this.timer = this.clock.setTimer(this.maxBlockedMs / BEATS, () => this.beat());
  }

  private beat(): void {
    if (this.isAsked) this.unanswered += 1;
    if (this.unanswered === BEATS) return this.giveUp();
    this.wait();
    if (this.isAsked) return;
    this.isAsked = true;
    this.ask();
  }
}
