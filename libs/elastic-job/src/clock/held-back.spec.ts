import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { HeldBack } from './held-back.js';

const WINDOW_MS = 60_000;
const MOST_KINDS = 1_000;

interface EndRequest {
  readonly text: string;
  readonly count: number;
}

function setUp() {
  const clock = new VirtualClock();
  const told: EndRequest[] = [];
  const heldBack = new HeldBack<EndRequest>(clock, {
    windowMs: WINDOW_MS,
    mostKinds: MOST_KINDS,
    join: (held, { text, count }) => ({ text, count: held.count + count }),
    deliver: (one) => void told.push(one),
  });
  const add = (text = 'down', kind = 'a kind') => heldBack.add(kind, { text, count: 1 });
  return { clock, told, heldBack, add, counts: () => told.map(({ count }) => count) };
}

describe('HeldBack', () => {
  it('reports the first of a thousand of one kind at once, the others as one at the end of the window', async () => {
    const { clock, add, counts, told } = setUp();
    for (let order = 0; order < 1_000; order += 1) add(`order ${order} is locked`);
    expect(counts()).toEqual([1]);
    await clock.advance(WINDOW_MS);
    expect(counts()).toEqual([1, 999]);
    expect(told.at(-1)).toMatchObject({ text: 'order 999 is locked' });
  });

  it('reports a kind that comes each second once a minute, with the number of those held back', async () => {
    const { clock, add, counts } = setUp();
    for (let second = 0; second < 3_600; second += 1) {
      add();
      await clock.advance(1_000);
    }
    expect(counts()).toEqual([1, ...Array.from({ length: 60 }, (_, minute) => (minute === 0 ? 59 : 60))]);
  });

  it('reports a kind at once again after it has stayed away for a window', async () => {
    const { clock, add, counts, heldBack } = setUp();
    add();
    await clock.advance(WINDOW_MS);
    expect(heldBack.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    add();
    expect(counts()).toEqual([1, 1]);
  });

  it('reports each kind at the end of its own window', async () => {
    const { clock, add, told } = setUp();
    const log = () => told.map(({ text, count }) => `${text} x${count}`);
    add('a', 'a');
    await clock.advance(10_000);
    add('b', 'b');
    add('b', 'b');
    add('a', 'a');
    await clock.advance(49_999);
    expect(log()).toEqual(['a x1', 'b x1']);
    await clock.advance(1);
    expect(log()).toEqual(['a x1', 'b x1', 'a x1']);
    await clock.advance(10_000);
    expect(log()).toEqual(['a x1', 'b x1', 'a x1', 'b x1']);
  });

  it('remembers a bounded number of kinds, and loses nothing that is held', () => {
    const { add, heldBack, told } = setUp();
    for (let kind = 0; kind < 5_000; kind += 1) {
      add('down', `kind ${kind}`);
      add('down', `kind ${kind}`);
    }
    expect(heldBack.size).toBe(MOST_KINDS);
    heldBack.end();
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  });

  it('leaves no timer, and delivers nothing that is held, once all kinds are forgotten', async () => {
    const { clock, add, counts, heldBack } = setUp();
    add();
    add();
    heldBack.forget(() => true);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1_000_000);
    expect(counts()).toEqual([1]);
    add();
    expect(counts()).toEqual([1, 1]);
  });

  it('reports at its end what is held, leaves no timer, and holds nothing back any more', () => {
    const { clock, add, counts, heldBack } = setUp();
    add();
    add();
    add();
    heldBack.end();
    expect(counts()).toEqual([1, 2]);
    add();
    add();
    expect(counts()).toEqual([1, 2, 1, 1]);
    expect(clock.pendingTimers).toBe(0);
  });
});
