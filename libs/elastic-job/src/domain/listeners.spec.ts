import { describe, expect, it } from 'vitest';
import { Listeners } from './listeners.js';

describe('listeners that come and go', () => {
  const heard = (listeners: Listeners<string>): string => {
    let all = '';
    listeners.forEach((one) => (all += one));
    return all;
  };

  it.each([
    [[], 'abc'],
    [['a'], 'bc'],
    [['b'], 'ac'],
    [['c'], 'ab'],
    [['c', 'a'], 'b'],
    [['b', 'a', 'c'], ''],
  ])('are called in their order after %j have been removed', (removed, left) => {
    const listeners = new Listeners<string>();
    const offs = new Map(['a', 'b', 'c'].map((one) => [one, listeners.add(one)]));
    for (const one of removed) offs.get(one)!();
    expect(heard(listeners)).toBe(left);
  });

  it('stay if an earlier one is removed a second time', () => {
    const listeners = new Listeners<string>();
    const off = listeners.add('a');
    off();
    listeners.add('b');
    off();
    expect(heard(listeners)).toBe('b');
  });

  it('are not called in the same round if another one removes or adds them', () => {
    const listeners = new Listeners<() => void>();
    const called: string[] = [];
    listeners.add(() => {
      called.push('first');
      offSecond();
      listeners.add(() => called.push('third'));
    });
    const offSecond = listeners.add(() => called.push('second'));
    listeners.forEach((one) => one());
    expect(called).toEqual(['first']);
    listeners.forEach((one) => one());
    expect(called).toEqual(['first', 'first', 'third']);
  });
});
