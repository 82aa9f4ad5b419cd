import { expect, describe, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { Deadline } from './deadline.js';

describe('a deadline', () => {
  it('counts down to 0 on the monotonic clock, whatever the wall clock does', async () => {
    const clock = new VirtualClock();
    const deadline = Deadline.after(clock, 5_000);

    clock.setWall(0);
    await clock.advance(2_000);

    expect([deadline.leftMs, deadline.less(1_000).leftMs]).toEqual([3_000, 2_000]);
    await clock.advance(9_000);
    expect(deadline.leftMs).toBe(0);
  });

  it('holds for work that ends in time, and leaves no timer', async () => {
    const clock = new VirtualClock();

    expect(await clock.advanceUntil(Deadline.after(clock, 5_000).holdsFor(clock.sleep(4_000)))).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not hold for work that is late, whose error is nobody’s then', async () => {
    const clock = new VirtualClock();
    const late = clock.sleep(6_000).then(() => Promise.reject(new Error('late')));

    expect(await clock.advanceUntil(Deadline.after(clock, 5_000).holdsFor(late))).toBe(false);
    await clock.advance(2_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('holds for work that has ended already once it has passed', async () => {
    const clock = new VirtualClock();
    const passed = Deadline.after(clock, 0);
    await clock.advance(1_000);

    expect(await clock.advanceUntil(passed.holdsFor(Promise.resolve()))).toBe(true);
  });

  it('throws what the work throws in time', async () => {
    const clock = new VirtualClock();
    const failing = Promise.reject(new Error('failed'));

    await expect(Deadline.after(clock, 5_000).holdsFor(failing)).rejects.toThrow('failed');
    expect(clock.pendingTimers).toBe(0);
  });
});
