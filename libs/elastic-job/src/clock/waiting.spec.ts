import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { Listeners } from '../domain/index.js';
import { VirtualClock } from '../testing/index.js';
import { Deadline, waitFor, type WaitLimits, waitUntil } from './waiting.js';

let clock: VirtualClock;
beforeEach(() => {
  clock = new VirtualClock();
});

describe('a wait', () => {
  it('ends once it is called back, and leaves no timer and no listener', async () => {
    const { signal } = new AbortController();
    const { calls, waiting, goOn } = wait({ deadline: Deadline.after(clock, 1_000), signals: [signal] });

    goOn();

    await expect(waiting).resolves.toBe(true);
    expectNothingLeft(calls, signal);
  });

  it('ends at its deadline, and leaves no timer and no listener', async () => {
    const { signal } = new AbortController();
    const { calls, waiting, goOn } = wait({ deadline: Deadline.after(clock, 1_000), signals: [signal] });

    await clock.advance(1_000);
    goOn();

    await expect(waiting).resolves.toBe(false);
    expectNothingLeft(calls, signal);
  });

  it('rejects with the reason of the signal that aborts, and leaves no timer and no listener', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const limits = { deadline: Deadline.after(clock, 1_000), signals: [first.signal, undefined, second.signal] };
    const { calls, waiting } = wait(limits);

    second.abort(new Error('over'));

    await expect(waiting).rejects.toThrow('over');
    expectNothingLeft(calls, first.signal);
  });

  it('rejects and arms nothing if its signal has already aborted', async () => {
    const { calls, waiting } = wait({ signals: [AbortSignal.abort(new Error('over'))] });

    await expect(waiting).rejects.toThrow('over');
    expect(calls).toEqual([]);
  });

  it('adds one listener to a signal, however many wait, and leaves none', async () => {
    const ending = new AbortController();
    const all = Array.from({ length: 20 }, () => wait({ signals: [ending.signal] }));
    expect(getEventListeners(ending.signal, 'abort')).toHaveLength(1);

    all[0]!.goOn();
    await expect(all[0]!.waiting).resolves.toBe(true);
    ending.abort(new Error('over'));

    const ends = await Promise.allSettled(all.map(({ waiting }) => waiting));
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(19);
    expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  });
});

describe('a wait for a condition', () => {
  it('is over at once if the condition is met', async () => {
    const { changes, isOver } = until(() => true);

    expect(await isOver).toBe(true);
    expect(changes.count).toBe(0);
  });

  it('looks again after each change, and leaves no listener and no timer', async () => {
    let left = 3;
    const { changes, isOver } = until(() => left === 0);

    for (; left > 0; await clock.advance(10)) {
      left -= 1;
      changes.tell();
    }

    expect(await isOver).toBe(true);
    expect([changes.count, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('ends at its deadline, however many changes come, and leaves no listener and no timer', async () => {
    const { changes, isOver } = until(() => false);

    for (let n = 0; n < 3; n += 1) {
      await clock.advance(300);
      changes.tell();
    }
    await clock.advance(100);

    expect(await isOver).toBe(false);
    expect([changes.count, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('rejects with the error of the condition, and leaves no listener and no timer', async () => {
    let isBroken = false;
    const { changes, isOver } = until(() => {
      if (isBroken) throw new Error('broken');
      return false;
    });

    await clock.advance(10);
    isBroken = true;
    changes.tell();

    await expect(isOver).rejects.toThrow('broken');
    expect([changes.count, clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('a deadline', () => {
  it('counts down to 0 on the monotonic clock, whatever the wall clock does', async () => {
    const deadline = Deadline.after(clock, 5_000);

    clock.setWall(0);
    await clock.advance(2_000);

    expect([deadline.leftMs, deadline.less(1_000).leftMs]).toEqual([3_000, 2_000]);
    expect([deadline.within(1_000).leftMs, deadline.within(4_000).leftMs]).toEqual([1_000, 3_000]);
    await clock.advance(9_000);
    expect(deadline.leftMs).toBe(0);
  });

  it('holds for work that ends in time, and leaves no timer', async () => {
    expect(await clock.advanceUntil(Deadline.after(clock, 5_000).holdsFor(clock.sleep(4_000)))).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not hold for work that is late, whose error is nobody’s then', async () => {
    const late = clock.sleep(6_000).then(() => Promise.reject(new Error('late')));

    expect(await clock.advanceUntil(Deadline.after(clock, 5_000).holdsFor(late))).toBe(false);
    await clock.advance(2_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('holds for work that has ended already once it has passed', async () => {
    const passed = Deadline.after(clock, 0);
    await clock.advance(1_000);

    expect(await clock.advanceUntil(passed.holdsFor(Promise.resolve()))).toBe(true);
  });

  it('holds for work that ends in the same turn, as after a pause of the process', async () => {
    let finish = (): void => {};
    const work = new Promise<void>((resolve) => (finish = resolve));
    const holds = Deadline.after(clock, 5_000).holdsFor(work);
    clock.setTimer(5_000, finish);

    expect(await clock.advanceUntil(holds)).toBe(true);
  });

  it('throws what the work throws in time', async () => {
    const failing = Promise.reject(new Error('failed'));

    await expect(Deadline.after(clock, 5_000).holdsFor(failing)).rejects.toThrow('failed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives the result of the work in time, and in place of a late one what its caller says', async () => {
    const twice = async (ms: number) => {
      await clock.sleep(ms);
      return ms * 2;
    };
    const bounds = (ms: number) => Deadline.after(clock, 1_000).bounds(twice(ms), () => -1);

    expect(await clock.advanceUntil(Promise.all([bounds(10), bounds(2_000)]))).toEqual([20, -1]);
  });

  it('ends the wait for work once the signal aborts, and leaves no timer and no listener', async () => {
    const ending = new AbortController();
    const work = clock.sleep(10).then(() => Promise.reject(new Error('late')));
    const waiting = Deadline.after(clock, 1_000).bounds(work, () => {}, ending.signal);

    ending.abort(new Error('over'));

    await expect(waiting).rejects.toThrow('over');
    await clock.advance(10);
    expect([getEventListeners(ending.signal, 'abort'), clock.pendingTimers]).toEqual([[], 0]);
  });
});

function wait(limits: WaitLimits) {
  const calls: string[] = [];
  let goOn = (): void => {};
  const arm = (wake: () => void) => {
    calls.push('armed');
    goOn = wake;
    return () => void calls.push('disarmed');
  };
  return { calls, waiting: waitFor(arm, limits), goOn: () => goOn() };
}

function expectNothingLeft(calls: readonly string[], signal: AbortSignal): void {
  expect(calls).toEqual(['armed', 'disarmed']);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
}

/** A wait of one second. */
function until(isMet: () => boolean) {
  const listeners = new Listeners<() => void>();
  const changes = { count: 0, tell: () => listeners.forEach((look) => look()) };
  const onChange = (look: () => void) => {
    const remove = listeners.add(look);
    changes.count += 1;
    return () => {
      remove();
      changes.count -= 1;
    };
  };
  return { changes, isOver: waitUntil(isMet, onChange, { deadline: Deadline.after(clock, 1_000) }) };
}
