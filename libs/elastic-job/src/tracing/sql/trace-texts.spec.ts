import { describe, expect, it } from 'vitest';
import { describeFailure } from './describe-failure.js';
import { fitting } from './trace-row.js';

describe('describeFailure', () => {
  it('given an error with causes, when it is described, then each is told with its stack', () => {
    const error = new Error('outer', { cause: new TypeError('inner', { cause: 'why' }) });

    const [outer, inner, why] = describeFailure(error).split('\nCaused by: ');

    expect(outer).toBe(error.stack);
    expect(inner).toMatch(/^TypeError: inner\n {4}at /);
    expect(why).toBe('why');
  });

  it('given causes that form a ring, when they are described, then it comes to an end', () => {
    const error = new Error('ring');
    error.cause = error;

    expect(describeFailure(error).split('Caused by: ')).toHaveLength(10);
  });

  it.each([
    ['undefined', undefined, 'undefined'],
    ['a text', 'no', 'no'],
    ['an error without a stack', Object.assign(new Error('bare'), { stack: undefined }), 'Error: bare'],
    ['what cannot be shown', Object.create(null), 'a value that cannot be shown'],
  ])('given %s, when it is described, then there is a text', (_, failure, text) => {
    expect(describeFailure(failure)).toBe(text);
  });
});

describe('fitting', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab😀', 4, 'ab😀'],
    ['ab😀', 3, 'ab'],
    ['a\0b', 2, 'ab'],
    ['', 3, ''],
  ])('given %j for %i units, when it is cut, then the column takes it', (text, units, fits) => {
    expect(fitting(text, units)).toBe(fits);
  });
});
