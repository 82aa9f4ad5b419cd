import { expect, it } from 'vitest';
import type { DemoEvent } from './demo-event.js';
import { Ledger } from './ledger.js';

const wrote = (instance: string, item: number, added: number, token = '1'): DemoEvent => ({
  kind: 'wrote',
  instance,
  item,
  token,
  added,
});

it('ends a wait once the awaited event is recorded', async () => {
  const ledger = new Ledger(new AbortController().signal);
  const waiting = ledger.until('A has written twice', () => ledger.writes('A').length === 2);

  ledger.record(wrote('A', 0, 500));
  ledger.record(wrote('A', 0, 20));

  await waiting;
  expect(ledger.added('A')).toBe(520);
});

it('checks a slow condition once more if an event comes before its answer', async () => {
  const ledger = new Ledger(new AbortController().signal);
  let isAsked = 0;
  const slowly = async () => {
    isAsked += 1;
    if (isAsked === 1) ledger.record(wrote('A', 0, 500));
    return isAsked === 2;
  };

  await ledger.until('it is true', slowly);

  expect(isAsked).toBe(2);
});

it('names in the error what did not happen before the deadline', async () => {
  const deadline = new AbortController();
  const ledger = new Ledger(deadline.signal);
  const waiting = ledger.until('a write was refused', () => ledger.refused > 0);

  deadline.abort();

  await expect(waiting).rejects.toThrow('Waited in vain until a write was refused.');
});

it("knows the sums, the refusals and the newest writer of two instances' writes", () => {
  const ledger = new Ledger(new AbortController().signal);

  ledger.record(wrote('B', 3, 400, '10'));
  ledger.record(wrote('A', 3, 500, '9'));
  ledger.record({ kind: 'refused', instance: 'A', item: 3 });

  expect(ledger.added()).toBe(900);
  expect(ledger.refused).toBe(1);
  expect(ledger.newestWrite(3)).toMatchObject({ instance: 'B', token: '10' });
  expect(ledger.newestWrite(4)).toBeUndefined();
});

it('gives the two lives of an instance that joined twice different names', () => {
  const ledger = new Ledger(new AbortController().signal);

  ledger.record({ kind: 'joined', instance: 'A', instanceId: 'id-1' });
  ledger.record({ kind: 'joined', instance: 'B', instanceId: 'id-2' });
  ledger.record({ kind: 'joined', instance: 'B', instanceId: 'id-3' });
  ledger.record({
    kind: 'resharded',
    instance: 'A',
    owners: [
      [0, 'id-1'],
      [1, 'id-3'],
      [2, 'id-1'],
    ],
  });

  expect(ledger.assignment).toEqual(
    new Map([
      ['A', [0, 2]],
      ['B again', [1]],
    ]),
  );
});
