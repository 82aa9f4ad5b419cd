import { type Clock, sleepOn, type Timer } from '../clock/index.js';

/** A timer that is set, or that is due and waits for its paused process. */
interface PendingTimer {
  readonly callback: () => void;
  armed?: Timer;
}

/** Clock of one simulated process: while the process is paused nothing fires, and after its death never again. */
export class InstanceClock implements Clock {
  private isStill = false;
  private isHalted = false;
  /** Timers that are not due yet. */
  private readonly pending = new Set<PendingTimer>();
  /** Timers that fell due while the process was paused, in the order of their instants. */
  private readonly late = new Set<PendingTimer>();
  private waiting: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** Pauses the process: timers, sleeps and turns wait. Time goes on. */
  pause(): void {
    this.isStill = true;
  }

  /** Resumes the process: timers that fell due meanwhile fire in order, as soon as time is moved. */
  resume(): void {
    if (this.isHalted) return;
    this.isStill = false;
    for (const timer of this.late) this.arm(timer, 0);
    this.late.clear();
    for (const goOn of this.waiting.splice(0)) goOn();
  }

  /** Kills the process: timers, sleeps and turns that wait now wait for ever. */
  halt(): void {
    this.pause();
    this.isHalted = true;
  }

  /** Number of timers that are set and not yet due. */
  get pendingTimers(): number {
    return this.pending.size;
  }

  /** Resolves when the process runs: at once, at `resume`, or never. */
  async whenRunning(): Promise<void> {
    while (this.isStill) await new Promise<void>((resolve) => this.waiting.push(resolve));
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
    const timer: PendingTimer = { callback };
    this.arm(timer, ms);
    return {
      cancel: () => {
        timer.armed?.cancel();
        this.pending.delete(timer);
        this.late.delete(timer);
      },
    };
  }

  async nextTurn(): Promise<void> {
    await this.clock.nextTurn();
    await this.whenRunning();
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

  hostName(): string {
    return this.clock.hostName();
  }

  pid(): number {
    return this.clock.pid();
  }

  processors(): number {
    return this.clock.processors();
  }

  private arm(timer: PendingTimer, ms: number): void {
    this.pending.add(timer);
    timer.armed = this.clock.setTimer(ms, () => {
      this.pending.delete(timer);
      if (this.isStill) this.late.add(timer);
      else timer.callback();
    });
  }
}
