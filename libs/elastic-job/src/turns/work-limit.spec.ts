import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { RegistryTurns, WorkLimit } from './work-limit.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Items for which may be written at the same time. */
const MOST = 500;

describe('work that is limited', () => {
  it('does all the work in order, and never more than so much at once', async () => {
    const limit = new WorkLimit(new VirtualClock(), { most: 2, longestMs: 5_000 });
    const begun: number[] = [];
    let atOnce = 0;
    let most = 0;
    const work = async (item: number) => {
      begun.push(item);
      most = Math.max(most, (atOnce += 1));
      await turn();
      atOnce -= 1;
      return item;
    };
    expect(await Promise.all([1, 2, 3, 4, 5].map((item) => limit.run(1, () => work(item))))).toEqual([1, 2, 3, 4, 5]);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('goes on with the rest when something throws', async () => {
    const limit = new WorkLimit(new VirtualClock(), { most: 1, longestMs: 5_000 });
    const failed = limit.run(1, () => Promise.reject(new Error('no')));
    const next = limit.run(1, () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
  });

  it('lets work that takes long keep no others waiting', async () => {
    const clock = new VirtualClock();
    const limit = new WorkLimit(clock, { most: 1, longestMs: 5_000 });
    const begun: string[] = [];
    let end = (): void => {};
    const refused = limit.run(1, () => {
      begun.push('refused');
      return new Promise<void>((resolve) => (end = resolve));
    });
    const next = limit.run(1, async () => void begun.push('next'));
    await clock.advance(4_999);
    expect(begun).toEqual(['refused']);
    await clock.advance(1);
    await next;
    end();
    await refused;
    expect(clock.pendingTimers).toBe(0);
    // It freed one place after a while, and must not free another one at its end.
    void limit.run(1, () => new Promise(() => begun.push('third')));
    void limit.run(1, async () => void begun.push('fourth'));
    await clock.advance(0);
    expect(begun).toEqual(['refused', 'next', 'third']);
  });
});

describe('turns of created jobs at the registry', () => {
  let clock: VirtualClock;
  let isLoopBusy: boolean;
  let turns: RegistryTurns;
  let begun: string[];
  beforeEach(() => {
    clock = new VirtualClock();
    isLoopBusy = false;
    turns = new RegistryTurns(clock, () => isLoopBusy);
    begun = [];
  });

  /** Work that lasts until it is ended. */
  function work(name: string, items: number) {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const done = turns.run(items, () => {
      begun.push(name);
      return ended;
    });
    return { done, end };
  }

  it('let work go on side by side up to 500 items, and the rest in the order of its calls', async () => {
    const [a, b, c] = [work('a', 300), work('b', 300), work('c', 100)];
    await clock.advance(0);
    expect(begun).toEqual(['a']);

    a.end();
    await a.done;
    await clock.advance(0);
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const { end } of [b, c]) end();
    await Promise.all([b.done, c.done]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('let larger work go on alone', async () => {
    const [a, b] = [work('a', 10 * MOST), work('b', 1)];
    await clock.advance(0);
    expect(begun).toEqual(['a']);
    a.end();
    await clock.advance(0);
    expect(begun).toEqual(['a', 'b']);
    b.end();
  });

  it('count items that have ended until they are recorded', async () => {
    const ends = turns.unrecorded();
    for (let n = 0; n < MOST; n += 1) ends.ended();
    const next = work('next', 1);
    await clock.advance(0);
    expect(begun).toEqual([]);

    ends.recorded();
    await clock.advance(0);
    expect(begun).toEqual(['next']);
    for (let n = 1; n < MOST; n += 1) ends.recorded();
    next.end();
    await next.done;
    expect(clock.pendingTimers).toBe(0);
  });

  it('wait while handlers of created jobs wait for the event loop', async () => {
    isLoopBusy = true;
    const next = work('next', 1);
    await clock.advance(0);
    expect(begun).toEqual([]);

    isLoopBusy = false;
    turns.serve();
    await clock.advance(0);
    expect(begun).toEqual(['next']);
    next.end();
  });

  it('go on after 5 s without work that does not end, and without ends that are never recorded', async () => {
    const ends = turns.unrecorded();
    for (let n = 0; n < 2 * MOST; n += 1) ends.ended();
    const [stuck, next] = [work('stuck', MOST), work('next', 1)];
    await clock.advance(5_000);
    expect(begun).toEqual(['stuck']);
    await clock.advance(5_000);
    expect(begun).toEqual(['stuck', 'next']);

    ends.recorded();
    stuck.end();
    next.end();
    await Promise.all([stuck.done, next.done]);
    const after = [work('x', 300), work('y', 300)];
    await clock.advance(0);
    expect(begun.slice(2)).toEqual(['x']);
    for (const { end } of after) end();
  });
});
