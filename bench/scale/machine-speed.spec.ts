import { afterEach, describe, expect, it, vi } from 'vitest';
import { fastestOf, isSlow, MachineSpeed, slowerThan } from './machine-speed.js';

afterEach(() => void vi.useRealTimers());

describe('speed of the processors', () => {
  it('is watched beside a measurement, and told for that measurement alone', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const speed = MachineSpeed.watch();

    expect(speed.take()).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    const beside = speed.take();
    speed.stop();

    expect(beside).toHaveLength(6);
    expect(Math.min(...beside)).toBeGreaterThan(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is half if others use the same processors', () => {
    expect(slowerThan(2.5, [2.5, 5, 5])).toBe(1);
  });

  it('is too slow to judge a figure if it was half for more than a quarter of the time', () => {
    expect(isSlow(2.5, [2.5, 2.6, 2.5, 5])).toBe(false);
    expect(isSlow(2.5, [2.5, 2.6, 5, 5])).toBe(true);
  });

  it('is compared with the fastest pieces, without the one in a hundred that a clock may have told wrongly', () => {
    const pieces = [0.1, ...Array.from({ length: 199 }, (_, n) => 2.5 + n / 100)];

    expect(fastestOf(pieces)).toBe(2.5);
  });
});
