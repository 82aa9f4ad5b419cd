import { sleepOn, type Clock, type Timer } from '../clock/index.js';
import { type OptionRow, OptionTable, rule, text, wholeNumber } from '../domain/index.js';
import { VirtualTimeline } from './virtual-timeline.js';

export interface VirtualClockOptions {
  /** Start of the wall clock, in milliseconds since the epoch. @default 2030-01-01T00:00:00Z */
  readonly wall?: number;
  /** Seed of every random number and id. @default 1 */
  readonly seed?: number;
  /** @default '10.0.0.1' */
  readonly hostAddress?: string;
  /** @default 1 */
  readonly pid?: number;
  /** @default 4 */
  readonly processors?: number;
  /** Speed of both clocks, in their seconds per second of the time line. @default 1 */
  readonly rate?: number;
}

const instant = rule('milliseconds since the epoch', Number.isFinite);
const HOST = {
  hostAddress: { rule: text() },
  pid: { rule: wholeNumber({ from: 1 }) },
  rate: { rule: rule('a number above 0', (value) => Number.isFinite(value) && Number(value) > 0) },
} as const satisfies Partial<Record<keyof VirtualClockOptions, OptionRow>>;
const CLOCK_TABLE = new OptionTable(
  {
    ...HOST,
    wall: { rule: instant },
    seed: { rule: rule('a number', Number.isFinite) },
    processors: { rule: wholeNumber({ from: 1 }) },
  } satisfies Readonly<Record<keyof VirtualClockOptions, OptionRow>>,
  'VirtualClock',
);
const FORK_TABLE = new OptionTable(HOST, 'fork');

/**
 * A clock that stands still until a test moves it. The same seed and the same moves give the same run.
 *
 * ```ts
 * const clock = new VirtualClock();
 * const other = clock.fork({ hostAddress: '10.0.0.2' }); // another instance on the same time line
 * await clock.advance(5_000);
 * ```
 */
export class VirtualClock implements Clock {
  private readonly host: Required<Pick<VirtualClockOptions, 'hostAddress' | 'pid' | 'processors'>>;
  /** Difference between the wall clock and the monotonic clock. */
  private wallStart: number;
  private randomState: number;
  private readonly rate: number;
  /** Instant of the time line at which this clock was made, and its monotonic time then. */
  private readonly start: number;
  private readonly timeline: VirtualTimeline;

  constructor(options?: VirtualClockOptions);
  /** @internal @param timeline the time to share; only `fork` gives one. */
  constructor(options?: VirtualClockOptions, timeline?: VirtualTimeline);
  constructor(given: VirtualClockOptions = {}, timeline = new VirtualTimeline()) {
    const options = CLOCK_TABLE.checked('VirtualClock', given);
    this.timeline = timeline;
    this.rate = options.rate ?? 1;
    this.start = timeline.now;
    this.wallStart = (options.wall ?? Date.UTC(2030, 0, 1)) - this.monotonicNow();
    this.randomState = options.seed ?? 1;
    const { hostAddress = '10.0.0.1', pid = 1, processors = 4 } = options;
    this.host = { hostAddress, pid, processors };
  }

  /**
   * A clock of another instance: the same time line, timers and wall time, but random numbers of its own and, from now
   * on, steps of its own.
   */
  fork(host: Pick<VirtualClockOptions, 'hostAddress' | 'pid' | 'rate'> = {}): VirtualClock {
    const seed = Math.floor(this.random() * 2 ** 32);
    const { hostAddress = this.host.hostAddress, pid = this.host.pid, rate } = FORK_TABLE.checked('fork', host);
    const { processors } = this.host;
    return new VirtualClock({ hostAddress, pid, rate, processors, wall: this.wallNow(), seed }, this.timeline);
  }

  /**
   * Moves time on for all clocks of the time line. Resolves when everything has come to rest. Timers fire in the order
   * of their instants; after each instant, promises and `nextTurn` get as many turns as they ask for. `advance(0)` lets
   * everything come to rest without moving time.
   * @throws the error of a timer's callback, and an error if the code under test never comes to rest.
   */
  advance(ms: number): Promise<void> {
    return this.timeline.advance(ms);
  }

  /**
   * Moves time on until the work is done: its waits take virtual time.
   * @throws the error of the work
   */
  async advanceUntil<T>(work: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const end = (): void => void (state.isDone = true);
    work.then(end, end);
    while (!state.isDone) await this.advance(10);
    return work;
  }

  /** @internal Ends the advance that runs, which rejects with the reason. */
  interrupt(reason: Error): Promise<void> {
    return this.timeline.interrupt(reason);
  }

  /** Steps the wall clock of this instance, as an operator or NTP would. Timers are not affected. */
  setWall(ms: number): void {
    this.wallStart = ms - this.monotonicNow();
  }

  /** Number of timers of the whole time line that are set and have not fired: 0 if nothing is left open. */
  get pendingTimers(): number {
    return this.timeline.pendingTimers;
  }

  wallNow(): number {
    return Math.floor(this.wallStart + this.monotonicNow());
  }

  monotonicNow(): number {
    return this.start + (this.timeline.now - this.start) * this.rate;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  setTimer(ms: number, callback: () => void): Timer {
    return this.timeline.setTimer(ms / this.rate, callback);
  }

  nextTurn(): Promise<void> {
    return this.timeline.nextTurn();
  }

  /** Mulberry32: short, and its 32 bits of state are enough for a test. */
  random(): number {
    this.randomState = (this.randomState + 0x6d2b79f5) | 0;
    let mixed = this.randomState;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  uuid(): string {
    const digit = (): string => Math.floor(this.random() * 16).toString(16);
    const variant = (): string => (8 + Math.floor(this.random() * 4)).toString(16);
    return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (place) => (place === 'x' ? digit() : variant()));
  }

  hostAddress(): string {
    return this.host.hostAddress;
  }

  hostName(): string {
    return `host-${this.host.hostAddress}`;
  }

  pid(): number {
    return this.host.pid;
  }

  processors(): number {
    return this.host.processors;
  }
}
