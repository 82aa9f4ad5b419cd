import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { FireMoments, TimerQueue } from './timer-queue.js';

let clock: VirtualClock;
let queue: TimerQueue;
let fired: string[];
beforeEach(() => {
  clock = new VirtualClock();
  queue = new TimerQueue(clock);
  fired = [];
});

it('has one timer of the clock for all, and none once the last has fired or was cancelled', async () => {
  const timers = Array.from({ length: 1_000 }, (_, n) => queue.setTimer(1_000 - n, () => {}));
  expect(clock.pendingTimers).toBe(1);
  await clock.advance(500);
  expect(clock.pendingTimers).toBe(1);
  for (const timer of timers) timer.cancel();
  expect(clock.pendingTimers).toBe(0);
});

it('fires each at its instant, and those of one instant in the order in which they were set', async () => {
  const waits = Array.from({ length: 500 }, (_, n) => ((n * 7_919) % 97) * 10);
  for (const [n, wait] of waits.entries()) queue.setTimer(wait, () => note(n));
  await clock.advance(1_000);
  const expected = waits.map((wait, n) => ({ wait, n })).toSorted((a, b) => a.wait - b.wait || a.n - b.n);
  expect(fired).toEqual(expected.map(({ wait, n }) => `${n} at ${wait}`));
});

it('fires none that was cancelled, whether it is the next one, in between or the last', async () => {
  const timers = Array.from({ length: 100 }, (_, n) => queue.setTimer(n, () => note(n)));
  for (const [n, timer] of timers.entries()) if (n % 10 !== 5) timer.cancel();
  timers[0]!.cancel();
  await clock.advance(100);
  expect(fired).toEqual([5, 15, 25, 35, 45, 55, 65, 75, 85, 95].map((n) => `${n} at ${n}`));
});

it('cancels one that is due at the same instant and has not had its turn', async () => {
  queue.setTimer(10, () => second.cancel());
  const second = queue.setTimer(10, () => note(2));
  await clock.advance(20);
  expect(fired).toEqual([]);
});

it('arms the clock anew for one that comes before all others', async () => {
  queue.setTimer(1_000, () => note(1));
  queue.setTimer(10, () => note(2));
  await clock.advance(1_000);
  expect(fired).toEqual(['2 at 10', '1 at 1000']);
});

it('lets the event loop turn between timers that set themselves anew', async () => {
  let left = 3;
  const again = () => {
    note(left);
    left -= 1;
    if (left > 0) queue.setTimer(0, again);
    void Promise.resolve().then(() => fired.push('turn'));
  };
  queue.setTimer(0, again);
  await clock.advance(0);
  expect(fired).toEqual(['3 at 0', 'turn', '2 at 0', 'turn', '1 at 0', 'turn']);
});

it('fires timers of one millisecond together, and none earlier than that', async () => {
  for (const wait of [10.6, 10.2, 11.1, 11.2]) queue.setTimer(wait, () => note(wait));
  await clock.advance(10.2);
  expect(fired).toEqual(['10.2 at 10.2', '10.6 at 10.2', '11.1 at 10.2']);
});

it('lets the event loop turn between many due timers, and fires none that is cancelled meanwhile', async () => {
  const timers = Array.from({ length: 200 }, (_, n) => queue.setTimer(10, () => note(n)));
  queue.setTimer(10, () => timers[150]!.cancel());
  const turns: number[] = [];
  queue.setTimer(5, async () => {
    await clock.sleep(5);
    while (fired.length < 199) {
      turns.push(fired.length);
      await clock.nextTurn();
    }
  });
  timers[100]!.cancel();
  await clock.advance(20);
  expect(turns.length).toBeGreaterThan(4);
  expect(fired).toEqual([...Array(200).keys()].filter((n) => n !== 100).map((n) => `${n} at 10`));
});

it('fires the others if one throws', async () => {
  queue.setTimer(10, () => {
    throw new Error('broken');
  });
  queue.setTimer(10, () => note(2));
  await expect(clock.advance(20)).rejects.toThrow('broken');
  await clock.advance(20);
  expect(fired).toHaveLength(1);
});

/** Notes that a timer has fired, and the time since the start. */
function note(name: number): void {
  fired.push(`${name} at ${clock.monotonicNow()}`);
}

describe('the moment at which a fire time has come', () => {
  let moments: FireMoments;
  beforeEach(() => {
    moments = new FireMoments(clock);
  });

  it('is the same for all jobs that are told within a millisecond of it', async () => {
    const fireTime = clock.wallNow() + 10;
    const timerAt = clock.monotonicNow() + 10;
    await clock.advance(10);
    const first = moments.of(fireTime, timerAt);
    await clock.advance(0.3);
    clock.setWall(fireTime); // It shows whole milliseconds.
    expect(moments.of(fireTime, timerAt + 0.2)).toBe(first);
  });

  it('is when the timer was due, if the wall clock was set forward', async () => {
    const fireTime = clock.wallNow() + 500;
    const timerAt = clock.monotonicNow() + 500;
    await clock.advance(500);
    clock.setWall(fireTime + 900);
    expect(moments.of(fireTime, timerAt)).toBeGreaterThanOrEqual(timerAt - 1);
  });

  it('is when the wall clock showed it, if that is later', async () => {
    const fireTime = clock.wallNow() + 10;
    const timerAt = clock.monotonicNow() + 10;
    clock.setWall(clock.wallNow() - 5);
    await clock.advance(15);
    expect(moments.of(fireTime, timerAt)).toBe(timerAt + 5);
  });
});
