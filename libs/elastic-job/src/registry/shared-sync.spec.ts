import { beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../clock/index.js';
import { VirtualClock } from '../testing/index.js';
import { Calm } from '../turns/index.js';
import { SharedSync } from './shared-sync.js';

const clock = new SystemClock();
const calm = new Calm(clock);

it('answers all that ask in one turn by one request, in their order and some in each turn', async () => {
  let sent = 0;
  const shared = sharing(async () => void (sent += 1));
  const answered: number[] = [];
  const all = Array.from({ length: 1_000 }, (_, index) => shared.sync('sync').then(() => answered.push(index)));
  await all[0];
  expect(answered.length).toBeLessThan(200);
  await Promise.all(all);
  expect(sent).toBe(1);
  expect(answered).toEqual([...Array(1_000).keys()]);
});

it('lets work that may come later wait until all of them go on', async () => {
  const shared = sharing(() => Promise.resolve());
  const resumed: string[] = [];
  const all = Array.from({ length: 200 }, () => shared.sync('sync').then(() => resumed.push('caller')));
  await all[0];
  await Promise.all([...all, calm.until().then(() => resumed.push('later'))]);
  expect(resumed.indexOf('later')).toBe(200);
});

it('lets the transactions that they have prepared leave before the next turn', async () => {
  const heard: string[] = [];
  const shared = sharing(
    () => Promise.resolve(),
    () => heard.push('leave'),
  );
  const prepare = async () => {
    await shared.sync('sync');
    heard.push('prepared');
    await clock.nextTurn();
    heard.push('next turn');
  };
  await Promise.all([prepare(), prepare()]);
  expect(heard).toEqual(['prepared', 'prepared', 'leave', 'next turn', 'next turn']);
});

it('rejects for all of them with the failure of the request', async () => {
  const failure = new Error('no answer');
  const shared = sharing(() => Promise.reject(failure));
  const answers = await Promise.allSettled([shared.sync('sync'), shared.sync('sync')]);
  expect(answers).toEqual([
    { status: 'rejected', reason: failure },
    { status: 'rejected', reason: failure },
  ]);
});

it('sends nothing once nobody waits any more', async () => {
  let sent = 0;
  const shared = sharing(async () => void (sent += 1));
  const controller = new AbortController();
  const withdrawn = shared.sync('sync', { signal: controller.signal });
  controller.abort(new Error('given up'));
  await expect(withdrawn).rejects.toThrow('given up');
  await clock.nextTurn();
  await shared.sync('sync');
  expect(sent).toBe(1);
});

describe('a shared sync for callers that need the commits before an earlier moment', () => {
  let sent: number;
  let answer: () => void;
  let sessionId: string;
  let shared: SharedSync;
  const virtual = new VirtualClock();
  beforeEach(() => {
    sent = 0;
    sessionId = '1';
    const send = () => {
      sent += 1;
      return new Promise<void>((resolve) => (answer = resolve));
    };
    shared = new SharedSync({ sessionId: () => sessionId, send, flush: () => {} }, virtual, new Calm(virtual));
  });

  it('sends at once, and answers later callers of that moment by the same request', async () => {
    const asOf = virtual.monotonicNow();
    const first = shared.sync('sync', { asOf });
    expect(sent).toBe(1);
    await virtual.advance(10);
    const second = shared.sync('sync', { asOf });
    answer();
    await Promise.all([first, second]);
    await virtual.advance(10);
    await shared.sync('sync', { asOf });
    expect(sent).toBe(1);
  });

  it('resumes callers in their order, also those that come while the first ones resume', async () => {
    const asOf = virtual.monotonicNow();
    const resumed: number[] = [];
    const ask = (n: number) => shared.sync('sync', { asOf }).then(() => resumed.push(n));
    const first = Array.from({ length: 200 }, (_, n) => ask(n));
    answer();
    await first[0];
    await ask(200);
    expect(resumed).toEqual([...Array(201).keys()]);
    expect(sent).toBe(1);
  });

  it('sends anew for a caller whose moment came after the request had left', async () => {
    void shared.sync('sync', { asOf: virtual.monotonicNow() });
    answer();
    await virtual.advance(10);
    void shared.sync('sync', { asOf: virtual.monotonicNow() - 5 });
    expect(sent).toBe(2);
  });

  it('sends anew for a caller of no moment, even if one is under way', async () => {
    void shared.sync('sync', { asOf: virtual.monotonicNow() });
    void shared.sync('sync');
    await virtual.nextTurn();
    expect(sent).toBe(2);
  });

  it('sends anew 200 ms after the request had left', async () => {
    const asOf = virtual.monotonicNow();
    void shared.sync('sync', { asOf });
    answer();
    await virtual.advance(201);
    void shared.sync('sync', { asOf });
    expect(sent).toBe(2);
  });

  it('sends anew in another session', () => {
    const asOf = virtual.monotonicNow();
    void shared.sync('sync', { asOf });
    sessionId = '2';
    void shared.sync('sync', { asOf });
    expect(sent).toBe(2);
  });

  it('sends anew after a request that has failed', async () => {
    const asOf = virtual.monotonicNow();
    const failing = sharing(() => {
      sent += 1;
      return Promise.reject(new Error('no answer'));
    });
    await expect(failing.sync('sync', { asOf })).rejects.toThrow('no answer');
    await expect(failing.sync('sync', { asOf })).rejects.toThrow('no answer');
    expect(sent).toBe(2);
  });

  it('rejects for an aborted signal, although the answer is there', async () => {
    const asOf = virtual.monotonicNow();
    const first = shared.sync('sync', { asOf });
    answer();
    await first;
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(shared.sync('sync', { asOf, signal })).rejects.toThrow('given up');
  });
});

function sharing(send: () => Promise<void>, flush = () => {}): SharedSync {
  return new SharedSync({ sessionId: () => '1', send, flush }, clock, calm);
}
