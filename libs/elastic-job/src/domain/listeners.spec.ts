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
  ])('when %j are removed, then the others are called in their order', (removed, left) => {
    const listeners = new Listeners<string>();
    const offs = new Map(['a', 'b', 'c'].map((one) => [one, listeners.add(one)]));
    for (const one of removed) offs.get(one)!();
    expect(heard(listeners)).toBe(left);
  });

  it('when one is removed twice, then others that came meanwhile stay', () => {
    const listeners = new Listeners<string>();
    const off = listeners.add('a');
    off();
    listeners.add('b');
    off();
    expect(heard(listeners)).toBe('b');
  });

  it('when one removes another and adds a third, then neither of them is called', () => {
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
