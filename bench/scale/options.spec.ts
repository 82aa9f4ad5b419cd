import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from './options.js';

const LETTERS = ['a', 'b', 'e'];

describe('options of bench:scale', () => {
  it('are three rounds of all rows, if nothing is said', () => {
    expect(parseOptions([], LETTERS)).toEqual({
      mode: 'table',
      isQuick: false,
      rows: undefined,
      rounds: 3,
      writesDocs: false,
    });
  });

  it('are one round with --quick', () => {
    expect(parseOptions(['--quick'], LETTERS)).toMatchObject({ isQuick: true, rounds: 1 });
  });

  it('pick rows by their letters', () => {
    expect(parseOptions(['--rows', 'a,e', '--rounds', '5'], LETTERS)).toMatchObject({ rows: ['a', 'e'], rounds: 5 });
  });

  it('make a cluster smaller', () => {
    expect(parseOptions(['--cluster', '--processes', '3', '--jobs', '30'], LETTERS)).toEqual({
      mode: 'cluster',
      processes: 3,
      jobs: 30,
      items: 10,
      minutes: 3,
    });
  });

  it.each([
    [['--rows', 'a,z'], '--rows: there is no row "z", but a,b,e.'],
    [['--rounds', '0'], '--rounds is "0"; it takes a whole number from 1.'],
    [['--rounds', 'many'], '--rounds is "many"; it takes a whole number from 1.'],
    [['--rounds', ''], '--rounds is ""; it takes a whole number from 1.'],
    [['--cluster', '--processes', '1'], '--processes is "1"; it takes a whole number from 2.'],
    [['--cluster', '--jobs', '1.5'], '--jobs is "1.5"; it takes a whole number from 1.'],
    [['--jobs', '5'], '--jobs goes with --cluster.'],
    [['--cluster', '--quick'], '--quick does not go with --cluster.'],
    [['--cluster', '--plot'], '--cluster and --plot exclude each other.'],
    [['--quick', '--write-docs'], '--quick has not all rows, which --write-docs needs.'],
    [['--rows', 'a', '--write-docs'], '--rows has not all rows, which --write-docs needs.'],
  ])('%j are refused in words', (args, message) => {
    expect(() => parseOptions(args, LETTERS)).toThrow(new UsageError(message));
  });

  it('that nobody knows are refused', () => {
    expect(() => parseOptions(['--fast'], LETTERS)).toThrow(UsageError);
  });
});
