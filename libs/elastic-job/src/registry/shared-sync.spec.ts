import { expect, it } from 'vitest';
import { SystemClock } from '../clock/index.js';
import { Calm } from './calm.js';
import { SharedSync } from './shared-sync.js';

const clock = new SystemClock();
const calm = new Calm(clock);

it('answers all that ask in one turn by one request, in their order and some in each turn', async () => {
  let sent = 0;
  const shared = new SharedSync(async () => void (sent += 1), clock, calm);
  const answered: number[] = [];
  const all = Array.from({ length: 1_000 }, (_, index) => shared.sync('sync').then(() => answered.push(index)));
  await all[0];
  expect(answered.length).toBeLessThan(200);
  await Promise.all(all);
  expect(sent).toBe(1);
  expect(answered).toEqual([...Array(1_000).keys()]);
});

it('lets work that may come later wait until all of them go on', async () => {
  const shared = new SharedSync(() => Promise.resolve(), clock, calm);
  const resumed: string[] = [];
  const all = Array.from({ length: 200 }, () => shared.sync('sync').then(() => resumed.push('caller')));
  await all[0];
  await Promise.all([...all, calm.until().then(() => resumed.push('later'))]);
  expect(resumed.indexOf('later')).toBe(200);
});

it('tells all of them why the request has failed', async () => {
  const failure = new Error('no answer');
  const shared = new SharedSync(() => Promise.reject(failure), clock, calm);
  const answers = await Promise.allSettled([shared.sync('sync'), shared.sync('sync')]);
  expect(answers).toEqual([
    { status: 'rejected', reason: failure },
    { status: 'rejected', reason: failure },
  ]);
});

it('sends nothing once nobody waits any more', async () => {
  let sent = 0;
  const shared = new SharedSync(async () => void (sent += 1), clock, calm);
  const controller = new AbortController();
  const withdrawn = shared.sync('sync', { signal: controller.signal });
  controller.abort(new Error('given up'));
  await expect(withdrawn).rejects.toThrow('given up');
  await clock.nextTurn();
  await shared.sync('sync');
  expect(sent).toBe(1);
});
