import { type Clock, sleepOn, type Timer } from '../clock/index.js';

/** The clock of one simulated process: when the process dies, nothing of it ever fires again. */
export class InstanceClock implements Clock {
  private isHalted = false;

  constructor(private readonly clock: Clock) {}

  /** The process is dead: timers, sleeps and turns that wait now wait for ever. */
  halt(): void {
    this.isHalted = true;
  }

  wallNow(): number {
    return this.clock.wallNow();
  }

  monotonicNow(): number {
    return this.clock.monotonicNow();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  setTimer(ms: number, callback: () => void): Timer {
    return this.clock.setTimer(ms, () => {
      if (!this.isHalted) callback();
    });
  }

  async nextTurn(): Promise<void> {
    await this.clock.nextTurn();
    if (this.isHalted) await new Promise<never>(() => {});
  }

  random(): number {
    return this.clock.random();
  }

  uuid(): string {
    return this.clock.uuid();
  }

  hostAddress(): string {
    return this.clock.hostAddress();
  }

  pid(): number {
    return this.clock.pid();
  }
}
