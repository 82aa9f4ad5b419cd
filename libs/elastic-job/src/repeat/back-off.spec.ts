import { expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { BackOff } from './back-off.js';

it('doubles its pauses up to the longest, and leaves half of each to chance', () => {
  const backOff = new BackOff(new VirtualClock(), { firstMs: 100, longestMs: 1_000 });

  for (const bound of [100, 200, 400, 800, 1_000, 1_000]) {
    backOff.failed();
    const pauses = Array.from({ length: 50 }, () => backOff.nextMs());
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(bound / 2);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(bound);
    expect(new Set(pauses).size).toBeGreaterThan(10);
  }
});

it('makes no pause after a success, and cuts one short when the signal aborts', async () => {
  const clock = new VirtualClock();
  const backOff = new BackOff(clock, { firstMs: 100, longestMs: 1_000 });
  const ending = new AbortController();

  backOff.failed();
  const pause = backOff.pause(ending.signal);
  ending.abort();
  await pause;
  backOff.succeeded();

  expect(backOff.nextMs()).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});
