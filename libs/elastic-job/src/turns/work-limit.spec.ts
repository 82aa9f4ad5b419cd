import { expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { WorkLimit } from './work-limit.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

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
