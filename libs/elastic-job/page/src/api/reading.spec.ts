import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReadingOptions } from './reading.js';

let onFrame: (frame: unknown) => void;
vi.mock('./client.js', () => ({
  asProblem: (error: unknown) => error,
  renewedSessions: { subscribe: () => () => {} },
}));
vi.mock('./live.js', () => ({
  listen: (_: string, listener: typeof onFrame) => {
    onFrame = listener;
    return () => {};
  },
  liveState: { value: 'live' },
}));

// Another spec in this thread may have it already, over other parts.
vi.resetModules();
const { createReading } = await import('./reading.js');

afterEach(() => void vi.useRealTimers());

/** A reading whose answers take so long. */
function setUp(answerMs: number, options: ReadingOptions<number> = { topics: ['job:x'] }) {
  vi.useFakeTimers();
  let count = 0;
  const read = vi.fn<(signal: AbortSignal) => Promise<number>>(
    () => new Promise((resolve) => setTimeout(() => resolve((count += 1)), answerMs)),
  );
  const reading = createReading(read, options);
  return { read, reading, stop: reading.start() };
}

describe('a reading', () => {
  it('is made at once for a frame that comes after a while', async () => {
    const { read, reading, stop } = setUp(10);
    await vi.advanceTimersByTimeAsync(5_000);
    onFrame({});
    await vi.advanceTimersByTimeAsync(11);
    expect([read.mock.calls.length, reading.value.value]).toEqual([2, 2]);
    stop();
  });

  it('goes on where frames come faster than its answers', async () => {
    const { reading, stop } = setUp(1_000);
    for (let ms = 0; ms < 5_000; ms += 250) {
      onFrame({});
      await vi.advanceTimersByTimeAsync(250);
    }
    expect(reading.value.value).toBeGreaterThanOrEqual(3);
    stop();
  });

  it('gets its answers also if they take longer than the time after which it is made again', async () => {
    const { reading, stop } = setUp(1_500, { everyMs: 1_000 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(reading.value.value).toBe(2);
    stop();
  });

  it('is made once for many frames, and never after its end', async () => {
    const { read, stop } = setUp(10);
    await vi.advanceTimersByTimeAsync(5_000);
    for (let frame = 0; frame < 20; frame += 1) onFrame({});
    await vi.advanceTimersByTimeAsync(0);
    expect(read).toHaveBeenCalledTimes(2);
    onFrame({});
    stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(read).toHaveBeenCalledTimes(2);
  });
});
