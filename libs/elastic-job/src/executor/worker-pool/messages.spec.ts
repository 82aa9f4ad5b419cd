import { describe, expect, it } from 'vitest';
import { portrayError, reviveError } from './messages.js';

describe('an error that passes between threads', () => {
  it('keeps its name, message, stack, code and cause; its class is lost', () => {
    const cause = new TypeError('inner');
    const error = Object.assign(new RangeError('outer', { cause }), { code: 'OUT', other: 5 });

    const revived = reviveError(structuredClone(portrayError(error)));

    expect(revived).toBeInstanceOf(Error);
    expect(revived).not.toBeInstanceOf(RangeError);
    expect(revived).toMatchObject({ name: 'RangeError', message: 'outer', stack: error.stack, code: 'OUT' });
    expect(revived).toHaveProperty('cause.name', 'TypeError');
    expect(revived).not.toHaveProperty('other');
  });

  it('has no code and no cause where it had none, or a code that is no text', () => {
    const revived = reviveError(portrayError(Object.assign(new Error('plain'), { code: 5 })));
    expect(revived).not.toHaveProperty('code');
    expect(revived).not.toHaveProperty('cause');
  });

  it('keeps five causes, the others are left out', () => {
    let error = new Error('0');
    for (let depth = 1; depth <= 7; depth++) error = new Error(`${depth}`, { cause: error });
    const messages: unknown[] = [];
    for (let one: unknown = reviveError(portrayError(error)); one instanceof Error; one = one.cause) {
      messages.push(one.message);
    }
    expect(messages).toEqual(['7', '6', '5', '4', '3', '2']);
  });

  it.each([
    ['a text', 'gone', 'gone'],
    ['a number', 5, '5'],
    ['nothing', undefined, 'undefined'],
    ['what has no text', Object.create(null), 'a value that cannot be shown'],
  ])('is told as its text if it is %s', (_, thrown, text) => {
    expect(portrayError(thrown)).toEqual({
      isError: false,
      name: '',
      message: text,
      stack: undefined,
      code: undefined,
      cause: undefined,
    });
    expect(reviveError(portrayError(thrown))).toBe(text);
  });

  it('may lack its stack', () => {
    const error = new Error('bare');
    Reflect.deleteProperty(error, 'stack');
    Object.defineProperty(error, 'stack', { value: undefined });
    expect(portrayError(error).stack).toBeUndefined();
  });
});
