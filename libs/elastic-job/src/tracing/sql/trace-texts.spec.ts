import { describe, expect, it } from 'vitest';
import { describeFailure } from './describe-failure.js';
import { fitting } from './trace-row.js';

describe('describeFailure', () => {
  it('shows an error and its causes, with their stacks', () => {
    const error = new Error('outer', { cause: new TypeError('inner', { cause: 'why' }) });

    const [outer, inner, why] = describeFailure(error).split('\nCaused by: ');

    expect(outer).toBe(error.stack);
    expect(inner).toMatch(/^TypeError: inner\n {4}at /);
    expect(why).toBe('why');
  });

  it('comes to an end if the causes form a ring', () => {
    const error = new Error('ring');
    error.cause = error;

    expect(describeFailure(error).split('Caused by: ')).toHaveLength(10);
  });

  it.each([
    ['undefined', undefined, 'undefined'],
    ['a text', 'no', 'no'],
    ['an error without a stack', Object.assign(new Error('bare'), { stack: undefined }), 'Error: bare'],
    ['what cannot be shown', Object.create(null), 'a value that cannot be shown'],
  ])('gives a text for %s', (_, failure, text) => {
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
  ])('cuts %j to what fits a column of %i units', (text, units, fits) => {
    expect(fitting(text, units)).toBe(fits);
  });
});
