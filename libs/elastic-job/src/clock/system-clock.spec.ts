import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { isHostName } from './host-address.js';
import { SystemClock } from './system-clock.js';

const clock = new SystemClock();

describe('SystemClock', () => {
  it('fires none of many short timers early on the monotonic clock', async () => {
    const early = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const due = clock.monotonicNow() + index / 10;
        await new Promise<void>((resolve) => clock.setTimer(index / 10, resolve));
        return clock.monotonicNow() < due;
      }),
    );

    expect(early).not.toContain(true);
  });

  it('does not fire a timer beyond the range of Node at once', async () => {
    const callback = vi.fn<() => void>();

    const timer = clock.setTimer(2 ** 31 + 1_000, callback);
    await clock.sleep(20);
    timer.cancel();

    expect(callback).not.toHaveBeenCalled();
  });

  it('fires the timer of a wait of fifty days once, and not before they have passed', () => {
    vi.useFakeTimers();
    try {
      const callback = vi.fn<() => void>();
      const fiftyDays = 50 * 86_400_000;

      clock.setTimer(fiftyDays, callback);
      vi.advanceTimersByTime(fiftyDays - 1);
      const callsBefore = callback.mock.calls.length;
      vi.advanceTimersByTime(1);

      expect(callsBefore).toBe(0);
      expect(callback).toHaveBeenCalledOnce();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('fires no timer that was cancelled', async () => {
    const callback = vi.fn<() => void>();
    const timer = clock.setTimer(1, callback);

    timer.cancel();
    timer.cancel();
    await clock.sleep(5);

    expect(callback).not.toHaveBeenCalled();
  });

  it('rejects a sleep with the reason of its signal, and leaves no listener', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');

    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(reason);

    await expect(sleeping).rejects.toBe(reason);
    await expect(clock.sleep(60_000, controller.signal)).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('leaves no listener of a signal after a sleep that ended by itself', async () => {
    const { signal } = new AbortController();

    await clock.sleep(1, signal);

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('resolves the next turn after all work that ends together', async () => {
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      await Promise.resolve();
      order.push(name);
    };

    const turn = clock.nextTurn().then(() => order.push('turn'));
    await Promise.all([work('a'), work('b'), turn]);

    expect(order).toEqual(['a', 'b', 'turn']);
  });

  it('gives an address or a name, the pid of the process, new ids and random numbers below one', () => {
    expect(isHostName(clock.hostAddress())).toBe(true);
    expect(new SystemClock({ host: 'worker-1' }).hostAddress()).toBe('worker-1');
    expect(clock.pid()).toBe(process.pid);
    expect(clock.uuid()).not.toBe(clock.uuid());
    expect(clock.random()).toBeLessThan(1);
  });
});
