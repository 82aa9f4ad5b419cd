import { describe, expect, it } from 'vitest';
import { SUITES } from '../suites.js';
import { parseOptions } from './options.js';

describe('the options of verify', () => {
  it('take the suites whose inputs have changed, by default', () => {
    expect(parseOptions([])).toMatchObject({ suites: SUITES, isForced: false, isList: false, isCi: false });
  });

  it('take named suites, in the order of the table', () => {
    const { suites, isForced } = parseOptions(['--only', 'cloud,fuzz']);
    expect([suites.map(({ name }) => name), isForced]).toEqual([['fuzz', 'cloud'], true]);
  });

  it.each([
    [['--only', 'nope'], /^No suite is called nope\. There are: format, /],
    [['--all', '--only', 'fuzz'], '--all and --only exclude each other'],
    [['--all', '--against', 'main'], '--all and --against exclude each other'],
    [['fuzz'], 'Do you mean --only fuzz?'],
    [['--fast'], '--fast'],
  ])('refuse %j with the remedy', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});
