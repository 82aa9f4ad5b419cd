import { describe, expect, it, vi } from 'vitest';
import { AbortState } from './abort-state.js';

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
