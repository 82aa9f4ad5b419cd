import { publicCalls } from '../async-context/index.js';
import type { Timer } from '../clock/index.js';

/**
 * A quiet turn of the event loop may be followed by a busy one, since the code under test may use a `setImmediate` of
 * its own. After this many quiet turns everything counts as being at rest.
 */
const QUIET_TURNS = 3;

/** Far more than any test needs; code that reaches it waits for itself. */
const MAX_TURNS_PER_INSTANT = 10_000;

/**
 * Least time of every wait, in milliseconds. Otherwise the rounding of a drifting clock could leave a remainder that is
 * waited for at the same instant again and again.
 */
const SHORTEST_WAIT_MS = 0.001;

interface PendingTimer {
  readonly due: number;
  readonly callback: () => void;
}

/** Time that the clocks of one simulation share: an instant, and the timers after it. */
@publicCalls('advance')
export class VirtualTimeline {
  /** Milliseconds since the start of the simulation. */
  now = 0;
  /** In the order in which they were set. */
  private readonly timers = new Set<PendingTimer>();
  private turnsAsked = 0;
  /** The advance that runs. */
  private running: Promise<void> | undefined;
  /** The reason to end it before its time. */
  private interruption: Error | undefined;

  /**
   * @param chance shuffles timers of the same instant; by default they fire in the order in which they were set
   * @param quietTurns quiet turns of the event loop in a row, after which everything is at rest; 1 is enough if only
   * `nextTurn` asks for turns
   */
  constructor(
    private readonly chance?: () => number,
    private readonly quietTurns = QUIET_TURNS,
  ) {}

  get pendingTimers(): number {
    return this.timers.size;
  }

  setTimer(ms: number, callback: () => void): Timer {
    const waitMs = ms > 0 ? Math.max(SHORTEST_WAIT_MS, ms) : 0;
    const timer = { due: this.now + waitMs, callback };
    this.timers.add(timer);
    return { cancel: () => void this.timers.delete(timer) };
  }

  async nextTurn(): Promise<void> {
    this.turnsAsked += 1;
    await realTurn();
  }

  /** @see VirtualClock.advance */
  async advance(ms: number): Promise<void> {
    if (this.running !== undefined) throw new Error('advance() is running already; await it before the next one.');
    const end = this.now + ms;
    this.running = this.comeToRest(end);
    try {
      await this.running;
      this.now = end;
    } finally {
      this.running = undefined;
      this.interruption = undefined;
    }
  }

  /** Lets the advance that runs, if there is one, reject with the reason. Resolves once it does not run any more. */
  async interrupt(reason: Error): Promise<void> {
    if (this.running === undefined) return;
    this.interruption = reason;
    await Promise.allSettled([this.running]);
  }

  private async comeToRest(end: number): Promise<void> {
    let turns = 0;
    for (;;) {
      turns += await this.untilQuiet();
      if (this.interruption !== undefined) throw this.interruption;
      if (turns > MAX_TURNS_PER_INSTANT) throw new Error(`Nothing comes to rest at ${this.now} ms of virtual time.`);
      const { due, timers } = this.nextInstant();
      if (due > end) return;
      if (due > this.now) turns = 0;
      this.now = due;
      await this.fire(this.ordered(timers));
    }
  }

  /** @returns the number of turns that it took. */
  private async untilQuiet(): Promise<number> {
    let turns = 0;
    const isOver = () => this.interruption !== undefined || turns > MAX_TURNS_PER_INSTANT;
    for (let quiet = 0; quiet < this.quietTurns && !isOver(); turns += 1) {
      const asked = this.turnsAsked;
      await realTurn();
      quiet = asked === this.turnsAsked ? quiet + 1 : 0;
    }
    return turns;
  }

  /** The next instant with timers, and these timers. */
  private nextInstant(): { readonly due: number; readonly timers: readonly PendingTimer[] } {
    let due = Infinity;
    let timers: PendingTimer[] = [];
    for (const timer of this.timers) {
      if (timer.due > due) continue;
      if (timer.due < due) timers = [];
      due = timer.due;
      timers.push(timer);
    }
    return { due, timers };
  }

  private ordered(timers: readonly PendingTimer[]): readonly PendingTimer[] {
    const { chance } = this;
    if (chance === undefined || timers.length < 2) return timers;
    const drawn = timers.map((timer) => ({ timer, place: chance() }));
    return drawn.toSorted((a, b) => a.place - b.place).map(({ timer }) => timer);
  }

  /**
   * Works as Node's timer phase: timers of the same instant fire in one turn, with promises settling in between, so
   * that their calls of `nextTurn` resolve after all of them.
   */
  private fire(timers: readonly PendingTimer[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let left = timers.length;
      if (left === 0) resolve();
      const fireOne = (timer: PendingTimer): void => {
        try {
          if (this.timers.delete(timer)) timer.callback();
        } catch (error) {
          reject(error);
        }
        left -= 1;
        if (left === 0) resolve();
      };
      for (const timer of timers) setImmediate(fireOne, timer);
    });
  }
}

function realTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
