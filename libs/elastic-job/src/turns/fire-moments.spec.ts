import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { FireMoments } from './fire-moments.js';

let clock: VirtualClock;
let moments: FireMoments;
beforeEach(() => {
  clock = new VirtualClock();
  moments = new FireMoments(clock);
});

describe('the moment at which a fire time has come', () => {
  it('is the same for all jobs that are told within a millisecond of it', async () => {
    const fireTime = clock.wallNow() + 10;
    const dueAt = clock.monotonicNow() + 10;
    await clock.advance(10);
    const first = moments.of(fireTime, dueAt);
    await clock.advance(0.3);
    clock.setWall(fireTime); // It shows whole milliseconds.
    expect(moments.of(fireTime, dueAt + 0.2)).toBe(first);
  });

  it('is when the timer was due, if the wall clock was set forward', async () => {
    const fireTime = clock.wallNow() + 500;
    const dueAt = clock.monotonicNow() + 500;
    await clock.advance(500);
    clock.setWall(fireTime + 900);
    expect(moments.of(fireTime, dueAt)).toBeGreaterThanOrEqual(dueAt - 1);
  });

  it('is when the wall clock showed it, if that is later', async () => {
    const fireTime = clock.wallNow() + 10;
    const dueAt = clock.monotonicNow() + 10;
    clock.setWall(clock.wallNow() - 5);
    await clock.advance(15);
    expect(moments.of(fireTime, dueAt)).toBe(dueAt + 5);
  });
});
