import type { Clock, Timer } from '../../../clock/index.js';

/** Number of questions to the other thread within `maxBlockedMs`. */
const BEATS = 8;

/**
 * Asks another thread repeatedly if its event loop still runs, and reports when it has not answered for `maxBlockedMs`,
 * or up to an eighth longer. Only this thread's own time counts, so a pause of the whole process blames no thread.
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

  /** Starts anew, also after `giveUp` was called. */
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
