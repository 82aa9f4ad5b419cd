import { describe, expect, it } from 'vitest';
import { dialectOfEdit, readQuartz } from './cron-dialect.js';

describe('the dialect of a cron expression that an edit brings', () => {
  it.each<[string | null | undefined, 'quartz' | 'unix' | undefined, 'quartz' | 'unix']>([
    ['*/5 * * * *', 'unix', 'unix'],
    ['0 0/5 * * * ?', 'unix', 'quartz'],
    ['*/5 * * * *', undefined, 'quartz'],
    ['0 0/5 * * * ?', 'quartz', 'quartz'],
    [null, 'unix', 'quartz'],
    [undefined, 'unix', 'quartz'],
  ])('of %j where the job says %s, is %s', (cron, dialect, expected) => {
    expect(dialectOfEdit(cron, dialect)).toBe(expected);
  });
});

describe('an expression that Quartz cannot read', () => {
  it('is refused with what it means, if it is a unix expression', () => {
    expect(() => readQuartz('*/5 * * * *')).toThrow(/ As a unix expression it is "0 \*\/5 \* \* \* \?": write that$/);
  });

  it('is refused by its fault alone, if it is none of either', () => {
    expect(() => readQuartz('every day')).toThrow(/"every day"/);
    expect(() => readQuartz('every day')).not.toThrow(/unix|undefined/);
  });
});
