import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { AbortState, onAbort, whileWaiting } from './aborts.js';

describe('listening to a signal that many listen to', () => {
  it('calls each listener once, in the order in which they came', () => {
    const ending = new AbortController();
    const told: string[] = [];
    onAbort(ending.signal, () => told.push('first'));
    onAbort(ending.signal, () => told.push('second'));

    ending.abort();

    expect(told).toEqual(['first', 'second']);
  });

  it('calls none that has ended its wait, also if another one has ended it just then', () => {
    const ending = new AbortController();
    const [early, late] = [vi.fn<() => void>(), vi.fn<() => void>()];
    onAbort(ending.signal, early)();
    onAbort(ending.signal, () => offLate());
    const offLate = onAbort(ending.signal, late);

    ending.abort();

    expect(early).not.toHaveBeenCalled();
    expect(late).not.toHaveBeenCalled();
  });

  it('adds one listener to the signal, however many there are', () => {
    const { signal } = new AbortController();
    for (let n = 0; n < 100; n += 1) onAbort(signal, () => {});

    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });

  it('shares the listener with waits, which take it along only if it is theirs alone', () => {
    const [kept, left] = [new AbortController(), new AbortController()];
    onAbort(kept.signal, () => {});

    const ends = [kept, left, left].map(({ signal }) => whileWaiting(signal, () => {}));
    expect([kept, left].map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([1, 1]);
    for (const end of ends) end();

    expect([kept, left].map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([1, 0]);
  });

  it('calls one that comes after waits are over', () => {
    const ending = new AbortController();
    const listener = vi.fn<() => void>();
    whileWaiting(ending.signal, () => {})();
    onAbort(ending.signal, listener);

    ending.abort();

    expect(listener).toHaveBeenCalledTimes(1);
  });
});

const [FIRST, SECOND] = [new Error('first'), new Error('second')];

describe('AbortState', () => {
  it('keeps the first reason, and calls back once', () => {
    const state = new AbortState();
    const listener = vi.fn<() => void>();
    state.onAbort(listener);
    expect(state).toMatchObject({ aborted: false, reason: undefined });

    state.abort(FIRST);
    state.abort(SECOND);

    expect(state).toMatchObject({ aborted: true, reason: FIRST });
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('calls none that has ended its wait, and none that comes afterwards', () => {
    const state = new AbortState();
    const listener = vi.fn<() => void>();
    state.onAbort(listener)();

    state.abort(FIRST);
    state.onAbort(listener);

    expect(listener).not.toHaveBeenCalled();
  });

  it('has one signal, whether that is asked for before or afterwards', () => {
    const [before, afterwards] = [new AbortState(), new AbortState()];
    const { signal } = before;
    for (const state of [before, afterwards]) state.abort(FIRST);

    expect(before.signal).toBe(signal);
    expect(afterwards.signal).toBe(afterwards.signal);
    for (const { aborted, reason } of [signal, afterwards.signal]) expect([aborted, reason]).toEqual([true, FIRST]);
  });

  it('tells those who listen to it before those who listen to its signal', () => {
    const state = new AbortState();
    const told: string[] = [];
    state.signal.addEventListener('abort', () => told.push('signal'));
    state.onAbort(() => told.push('state'));

    state.abort(FIRST);

    expect(told).toEqual(['state', 'signal']);
  });

  it('is aborted although it has no reason', () => {
    const state = new AbortState();
    state.abort(undefined);

    expect([state.aborted, state.signal.aborted]).toEqual([true, true]);
  });
});
