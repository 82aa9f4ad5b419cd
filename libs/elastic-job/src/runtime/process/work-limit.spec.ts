import { expect, it } from 'vitest';
import { WorkLimit } from './work-limit.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('does all the work in order, and never more than so much at once', async () => {
  const limit = new WorkLimit(2);
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
  expect(await Promise.all([1, 2, 3, 4, 5].map((item) => limit.run(() => work(item))))).toEqual([1, 2, 3, 4, 5]);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

it('goes on with the rest when something throws', async () => {
  const limit = new WorkLimit(1);
  const failed = limit.run(() => Promise.reject(new Error('no')));
  const next = limit.run(() => Promise.resolve('done'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});
