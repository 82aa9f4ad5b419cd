import type { Clock } from '../clock/index.js';
import { refineTime, timeAt, type TimeEstimate, type TimeInterval } from '../domain/index.js';

/** The registry's wall clock as the writes of one client have shown it. */
export class RegistryTime {
  private known: TimeEstimate | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow'>) {}

  /** Undefined before the first write. */
  now(): TimeInterval | undefined {
    return this.known && timeAt(this.known, this.clock.monotonicNow());
  }

  /**
   * A write is about to be sent.
   * @returns what takes the time that the registry has written with, once the answer is here
   */
  writing(): (time: number) => void {
    const sent = this.clock.monotonicNow();
    return (time) => {
      this.known = refineTime(this.known, { time, sent, received: this.clock.monotonicNow() });
    };
  }
}
