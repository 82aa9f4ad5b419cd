import { describe, expect, it } from 'vitest';
import { csvOf, fileName, jsonOf } from './export.js';

const lineOf = (value: unknown) =>
  csvOf(['a'], [{ a: value }])
    .slice(1)
    .split('\r\n')
    .slice(1)
    .join('\r\n')
    .replace(/\r\n$/, '');

describe('rows as CSV', () => {
  it('have a head, one line each, and nothing where there is nothing', () => {
    expect(
      csvOf(
        ['job', 'item', 'error'],
        [
          { job: 'settle', item: 3, error: null },
          { job: 'a', item: undefined, error: null },
        ],
      ),
    ).toBe('\uFEFFjob,item,error\r\nsettle,3,\r\na,,\r\n');
  });

  it.each(['=HYPERLINK("http://x")', '+1', '-2+3', '@SUM(A1)', '\t=1', '  =1', '|cmd', '%0a', '\r=1'])(
    'keep %j a text in a spreadsheet',
    (text) => {
      expect(lineOf(text).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it('keep numbers below zero, quotes, commas and lines', () => {
    expect(lineOf(-12)).toBe('-12');
    expect(lineOf('say "no", twice')).toBe('"say ""no"", twice"');
    expect(lineOf('a\nb')).toBe('"a\nb"');
  });

  it('write what is no single value as JSON', () => {
    expect(lineOf({ from: 'a' })).toBe('"{""from"":""a""}"');
    expect(lineOf([3, 5])).toBe('"[3,5]"');
  });
});

describe('a file of rows', () => {
  it('is JSON with all fields as they are', () => {
    expect(JSON.parse(jsonOf([{ error: '=1', item: 3 }]))).toEqual([{ error: '=1', item: 3 }]);
  });

  it('tells in its name when it was made', () => {
    expect(fileName('runs', Date.UTC(2026, 10, 30, 3, 14, 7), 'csv')).toBe('runs-2026-11-30T03-14-07Z.csv');
  });
});
