import { describe, expect, it } from 'vitest';
import { CronSchedule } from '../domain/index.js';
import { VirtualClock } from '../testing/index.js';
import { type Schedule, Ticker } from './ticker.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('Ticker', () => {
  it('reports every fire time at its instant, and knows the next one', async () => {
    const { clock, ticker, told } = setUp();

    ticker.start(every(5 * SECOND));
    const first = ticker.nextFireTime;
    await clock.advance(12 * SECOND);

    expect(first).toBe(5 * SECOND);
    expect(told).toEqual([
      { fireTime: 5 * SECOND, at: 5 * SECOND },
      { fireTime: 10 * SECOND, at: 10 * SECOND },
    ]);
    expect([ticker.lastFireTime, ticker.nextFireTime]).toEqual([10 * SECOND, 15 * SECOND]);
  });

  it('reports when the timer of a fire time was due, even if the wall clock was set meanwhile', async () => {
    const { clock, ticker, due } = setUp();

    ticker.start(every(5 * SECOND));
    await clock.advance(6 * SECOND);
    clock.setWall(14 * SECOND);
    await clock.advance(4 * SECOND);

    expect(due).toEqual([5 * SECOND, 10 * SECOND]);
  });

  it('reports the last fire time when the wall clock jumps over a week of them', async () => {
    const { clock, ticker, told } = setUp({ wall: Date.UTC(2030, 0, 1) });

    ticker.start(new CronSchedule('0 30 2 * * ?', 'GMT', 'natural'));
    clock.setWall(Date.UTC(2030, 0, 8));
    await clock.advance(MINUTE);

    expect(told.map(({ fireTime }) => fireTime)).toEqual([Date.UTC(2030, 0, 7, 2, 30)]);
    expect(ticker.nextFireTime).toBe(Date.UTC(2030, 0, 8, 2, 30));
  });

  it('does not report fire times again that were handled before its start', async () => {
    const { clock, ticker, told } = setUp();

    ticker.start(every(5 * SECOND), 10 * SECOND);
    await clock.advance(15 * SECOND);

    expect(told.map(({ fireTime }) => fireTime)).toEqual([15 * SECOND]);
  });

  it('leaves fire times long before its start alone', async () => {
    const { clock, ticker, told } = setUp({ wall: HOUR });

    ticker.start(every(5 * SECOND), 10 * SECOND);
    await clock.advance(5 * SECOND);

    expect(told.map(({ fireTime }) => fireTime)).toEqual([HOUR + 5 * SECOND]);
  });

  it('looks at the wall clock every minute, even if the schedule is rare', async () => {
    const { clock, ticker, told } = setUp();

    ticker.start(every(30 * 24 * HOUR));
    await clock.advance(10 * MINUTE + SECOND);
    clock.setWall(30 * 24 * HOUR + 7);
    await clock.advance(MINUTE);

    expect(told.map(({ fireTime }) => fireTime)).toEqual([30 * 24 * HOUR]);
    expect(clock.pendingTimers).toBe(1);
  });

  it('does not fire early when the wall clock was set back before the fire time', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(10 * SECOND));
    await clock.advance(8 * SECOND);

    clock.setWall(5 * SECOND);
    await clock.advance(5 * SECOND);

    expect(told).toEqual([{ fireTime: 10 * SECOND, at: 10 * SECOND }]);
  });

  it('waits again for the fire times that are still to come by a better clock', async () => {
    const clock = new VirtualClock({ wall: 0 });
    const told: number[] = [];
    let judge = (_isCome: false): void => {};
    const judged = new Promise<false>((resolve) => (judge = resolve));
    const onFire = (fireTime: number) => (told.push(fireTime) < 3 ? judged : undefined);
    const ticker = new Ticker(clock, { onFire, onError: rethrow });
    ticker.start(every(10 * SECOND));
    await clock.advance(29 * SECOND);

    clock.setWall(SECOND);
    judge(false);
    await clock.advance(20 * SECOND);

    expect(told.map((fireTime) => fireTime / SECOND)).toEqual([10, 20, 10, 20]);
    expect(ticker.lastFireTime).toBe(20 * SECOND);
  });

  it('knows no fire time as reported that is still to come', async () => {
    const clock = new VirtualClock({ wall: 0 });
    const ticker = new Ticker(clock, { onFire: async () => false, onError: rethrow });
    ticker.start(every(10 * SECOND));
    await clock.advance(11 * SECOND);
    expect(ticker.lastFireTime).toBeUndefined();
  });

  it('reports nothing twice when the wall clock was set back after the fire time', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(10 * SECOND));
    await clock.advance(11 * SECOND);

    clock.setWall(2 * SECOND);
    await clock.advance(19 * SECOND);

    expect(told.map(({ fireTime }) => fireTime)).toEqual([10 * SECOND, 20 * SECOND]);
  });

  it('reports each fire time that comes again after the wall clock was set back over it', async () => {
    const { clock, ticker, told, again } = setUp();
    ticker.start(every(10 * SECOND));
    await clock.advance(41 * SECOND);

    clock.setWall(15 * SECOND);
    ticker.checkClock();
    await clock.advance(36 * SECOND);

    expect(again).toEqual([20 * SECOND, 30 * SECOND, 40 * SECOND]);
    expect(told.map(({ fireTime }) => fireTime / SECOND)).toEqual([10, 20, 30, 40, 50]);
  });

  it('reports the latest fire time once, after the wall clock was set forward over several', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(10 * SECOND));

    clock.setWall(HOUR + 3 * SECOND);
    await clock.advance(10 * SECOND);

    expect(told.map(({ fireTime }) => fireTime)).toEqual([HOUR + 10 * SECOND]);
  });

  it('reports a fire time late if the process was blocked over it', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(10 * SECOND));
    await clock.advance(9 * SECOND);

    clock.setWall(14 * SECOND);
    await clock.advance(SECOND);

    expect(told).toEqual([{ fireTime: 10 * SECOND, at: 15 * SECOND }]);
  });

  it('skips no fire time that comes while the ticker decides', async () => {
    const clock = new BusyClock({ wall: 0 });
    const told: number[] = [];
    const ticker = new Ticker(clock, { onFire: (fireTime) => void told.push(fireTime), onError: rethrow });

    ticker.start({ ...never, next: (after) => (after < MINUTE + 15 ? MINUTE + 15 : undefined) });
    await clock.advance(2 * MINUTE);

    expect(told).toEqual([MINUTE + 15]);
  });

  it('reports nothing if the schedule has no further fire time', async () => {
    const { clock, ticker, told } = setUp();

    ticker.start(never);
    await clock.advance(HOUR);

    expect([ticker.isRunning, ticker.nextFireTime, ticker.lastFireTime]).toEqual([true, undefined, undefined]);
    expect(told).toEqual([]);
  });

  it('does not report what came during a pause', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(5 * SECOND));
    await clock.advance(6 * SECOND);

    ticker.pause();
    const timersWhilePaused = clock.pendingTimers;
    await clock.advance(10 * SECOND);
    ticker.resume();
    await clock.advance(5 * SECOND);

    expect(timersWhilePaused).toBe(0);
    expect(told.map(({ fireTime }) => fireTime)).toEqual([5 * SECOND, 20 * SECOND]);
  });

  it('goes only by the new schedule after it has replaced the old one', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(10 * SECOND));
    await clock.advance(2 * SECOND);

    ticker.reschedule(every(3 * SECOND));
    const timers = clock.pendingTimers;
    await clock.advance(4 * SECOND);

    expect(timers).toBe(1);
    expect(told.map(({ fireTime }) => fireTime)).toEqual([3 * SECOND, 6 * SECOND]);
  });

  it('reports a fire time that has come when its schedule is replaced', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(10 * SECOND));
    await clock.advance(9 * SECOND);

    clock.setWall(10 * SECOND + 5);
    ticker.reschedule(every(HOUR));
    await clock.advance(SECOND);

    expect(told.map(({ fireTime }) => fireTime)).toEqual([10 * SECOND]);
    expect(ticker.nextFireTime).toBe(HOUR);
  });

  it('stays paused when its schedule is replaced, and resumes with the new one', async () => {
    const { clock, ticker } = setUp();
    ticker.start(every(10 * SECOND));
    ticker.pause();

    ticker.reschedule(every(3 * SECOND));
    const timersWhilePaused = clock.pendingTimers;
    ticker.resume();

    expect(timersWhilePaused).toBe(0);
    expect(ticker.nextFireTime).toBe(3 * SECOND);
  });

  it('stays silent after a stop, even if it is resumed or rescheduled', async () => {
    const { clock, ticker, told } = setUp();
    ticker.start(every(SECOND));
    ticker.stop();

    ticker.resume();
    ticker.reschedule(every(SECOND));
    await clock.advance(MINUTE);

    expect(told).toEqual([]);
    expect([ticker.isRunning, clock.pendingTimers]).toEqual([false, 0]);
  });

  it('reports no further fire time after its listener has stopped it', async () => {
    const clock = new VirtualClock({ wall: 0 });
    const told: number[] = [];
    const ticker = new Ticker(clock, {
      onFire: (fireTime) => {
        told.push(fireTime);
        ticker.stop();
      },
      onError: rethrow,
    });

    ticker.start(every(SECOND));
    await clock.advance(MINUTE);

    expect(told).toEqual([SECOND]);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ['throws', (): void => rethrow(new Error('broken'))],
    ['rejects', (): Promise<void> => Promise.reject(new Error('broken'))],
  ])('goes on after its listener %s, and hands the error over', async (_how, onFire) => {
    const clock = new VirtualClock({ wall: 0 });
    const errors: unknown[] = [];
    const ticker = new Ticker(clock, { onFire, onError: (error) => void errors.push(error) });

    ticker.start(every(SECOND));
    await clock.advance(2 * SECOND);

    expect(errors).toEqual([new Error('broken'), new Error('broken')]);
  });

  it('fires nothing after a stop and leaves no timer, in 500 starts and stops that race', async () => {
    const clock = new VirtualClock({ wall: 0 });
    const told: { fireTime: number; started: boolean }[] = [];
    let started = false;
    const ticker = new Ticker(clock, { onFire: (fireTime) => void told.push({ fireTime, started }), onError: rethrow });
    const startAndStop = async (): Promise<void> => {
      await clock.sleep(clock.random() * MINUTE);
      ticker.start(every(10));
      started = true;
      await clock.sleep(clock.random() * 50);
      ticker.stop();
      started = false;
    };

    const done = Promise.all(Array.from({ length: 500 }, startAndStop));
    await clock.advance(HOUR);
    await done;

    expect(told.length).toBeGreaterThan(100);
    expect(told.filter((fire) => !fire.started)).toEqual([]);
    expect(new Set(told.map(({ fireTime }) => fireTime)).size).toBe(told.length);
    expect([ticker.isRunning, clock.pendingTimers]).toEqual([false, 0]);
  });
});

interface Told {
  readonly fireTime: number;
  readonly at: number;
}

function setUp({ wall = 0 } = {}) {
  const clock = new VirtualClock({ wall });
  const told: Told[] = [];
  const due: number[] = [];
  const onFire = (fireTime: number, timerAt: number): void => {
    told.push({ fireTime, at: clock.wallNow() });
    due.push(timerAt);
  };
  const again: number[] = [];
  const onAgain = (fireTime: number): void => void again.push(fireTime);
  return { clock, told, due, again, ticker: new Ticker(clock, { onFire, onAgain, onError: rethrow }) };
}

/** A schedule that fires at the multiples of a period. */
function every(ms: number): Schedule {
  const atOrBefore = (instant: number): number => Math.floor(instant / ms) * ms;
  return {
    next: (after) => atOrBefore(after) + ms,
    latest: (notAfter, after) => (atOrBefore(notAfter) > after ? atOrBefore(notAfter) : undefined),
  };
}

const never: Schedule = { next: () => undefined, latest: () => undefined };

/** A clock whose wall time advances by ten milliseconds with each reading. */
class BusyClock extends VirtualClock {
  override wallNow(): number {
    const now = super.wallNow();
    this.setWall(now + 10);
    return now;
  }
}

function rethrow(error: unknown): never {
  throw error;
}
