import { describe, expect, it } from 'vitest';
import { csvOf } from './csv.js';

describe('a table', () => {
  it('has a line of names and a line for each row, that end with CR LF', () => {
    const rows = [
      { job: 'settle', item: 3, error: null, isDone: true },
      { job: 'ledger', item: 0 },
    ];
    expect(csvOf(rows, ['job', 'item', 'error', 'isDone'])).toBe(
      'job,item,error,isDone\r\nsettle,3,,true\r\nledger,0,,\r\n',
    );
    expect(csvOf([], ['job'])).toBe('job\r\n');
  });

  it.each([
    ['a, b', '"a, b"'],
    ['he said "no"', '"he said ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    [[0, 3, 5], '0 3 5'],
    [{ cause: 'crashed', moves: { 3: { to: 'b' } } }, '"{""cause"":""crashed"",""moves"":{""3"":{""to"":""b""}}}"'],
  ])('keeps %j whole', (value, cell) => {
    expect(csvOf([{ value }], ['value'])).toBe(`value\r\n${cell}\r\n`);
  });

  it.each([
    ['=HYPERLINK("https://evil.example")', `"'=HYPERLINK(""https://evil.example"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    [['=1', '2'], "'=1 2"],
    [-1, '-1'],
    ['a=1', 'a=1'],
  ])('has no formula for %j (A13)', (value, cell) => {
    expect(csvOf([{ value }], ['value'])).toBe(`value\r\n${cell}\r\n`);
  });

  it('takes nothing from the prototype of a row', () => {
    expect(csvOf([{}], ['constructor', '__proto__'])).toBe('constructor,__proto__\r\n,\r\n');
  });
});
