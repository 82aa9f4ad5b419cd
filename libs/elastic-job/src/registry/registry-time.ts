import type { Clock } from '../clock/index.js';
import { refineTime, timeAt, type TimeEstimate, type TimeInterval } from '../domain/index.js';

/** The registry's wall clock, estimated from the writes of one client. */
export class RegistryTime {
  private known: TimeEstimate | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow'>) {}

  /** The interval in which the registry's time lies now. Undefined before the first write. */
  now(): TimeInterval | undefined {
    return this.known && timeAt(this.known, this.clock.monotonicNow());
  }

  /**
   * Marks that a write is about to be sent.
   * @returns a function to call with the registry's time of the write, once the answer is here
   */
  writing(): (time: number) => void {
    const sent = this.clock.monotonicNow();
    return (time) => {
      this.known = refineTime(this.known, { time, sent, received: this.clock.monotonicNow() });
    };
  }
}
