import { createRequire } from 'node:module';
import { validateSync } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { HiddenText } from './hidden.js';
import { JOB_SETTINGS, SETTING_NAMES } from './job-settings.js';
import { text, wholeFrom } from './option-rules.js';
import { nested, OptionTable } from './option-table.js';

const VALUES = [
  undefined,
  null,
  true,
  0,
  1,
  -1,
  0.5,
  1e10,
  NaN,
  '',
  'none',
  'CPU',
  'orders',
  'with space',
  '- a: 1',
  '0 0 2 * * ?',
  'Europe/Berlin',
  '0=a',
  [],
  ['a'],
  ['a,b'],
  [1],
  {},
  { a: 'b' },
  { a: 1 },
  { 'nestjs.a': 'b' },
  new HiddenText('a'),
  new URL('file:///a.js'),
  () => undefined,
  ...SETTING_NAMES.map((name) => JOB_SETTINGS[name].default),
];

describe('the rules of options', () => {
  it.each(SETTING_NAMES)('judge any value of %s as class-validator does', (name) => {
    const table = new OptionTable({ [name]: JOB_SETTINGS[name] }, 'a job');
    for (const value of VALUES) {
      const isBroken = validateSync(table.judged({ [name]: value })).length > 0;
      expect([value, table.findBroken({ [name]: value }).length > 0]).toEqual([value, isBroken]);
    }
  });

  it('are also those of a copy of class-validator that the application has', () => {
    const require = createRequire(import.meta.url);
    for (const file of Object.keys(require.cache)) if (file.includes('/class-validator/')) delete require.cache[file];
    const theirs: typeof import('class-validator') = require('class-validator');
    const table = new OptionTable({ count: { rule: wholeFrom(1) }, name: { required: true, rule: text() } }, 'it');

    const errors = theirs.validateSync(table.judged({ count: 0 }));

    expect(theirs.validateSync).not.toBe(validateSync);
    expect(errors.map(({ property }) => property)).toEqual(['count', 'name']);
  });

  it('judge values that an instance has from its class', () => {
    const table = new OptionTable(
      { count: { rule: wholeFrom(1) }, name: { required: true, rule: text() } },
      'it',
      'it.',
    );
    class Given {
      get count() {
        return 0;
      }
      get name() {
        return 'n';
      }
    }

    expect(table.findBroken(new Given())).toEqual(['it.count must be a whole number from 1, but is 0']);
  });

  const ROWS = { count: { rule: wholeFrom(1) }, name: { required: true, rule: text() } } as const;

  it('name every option that is unknown, missing or wrong in one error', () => {
    const table = new OptionTable(ROWS, 'it', 'it.');
    const given = { cuont: 1, count: 0 };

    expect(() => table.checked('a module', given)).toThrow(
      expect.objectContaining({
        problems: [
          'it.cuont is not an option of it; did you mean it.count?',
          'it.count must be a whole number from 1, but is 0',
          'it.name must be a text, but is undefined',
        ],
      }),
    );
  });

  it('take null for not given', () => {
    expect(new OptionTable(ROWS, 'it').checked('a module', { count: null, name: 'n' })).toEqual({ name: 'n' });
  });

  it('judge options within an option by a table of their own, and show no value that has none', () => {
    const outer = new OptionTable(
      { inner: { rule: nested('options of it', new OptionTable(ROWS, 'it', 'inner.')) } },
      'a',
    );
    const broken = [{ name: 'n', more: 1 }, { count: 0, name: 'n' }, {}, 's3cret', ['s3cret']];

    expect(outer.findBroken({ inner: { count: 1, name: 'n' } })).toEqual([]);
    expect(broken.map((inner) => outer.findBroken({ inner }))).toEqual([
      ['inner.more is not an option of it; known are count, name'],
      ['inner.count must be a whole number from 1, but is 0'],
      ['inner.name must be a text, but is undefined'],
      ['inner must be options of it'],
      ['inner must be options of it'],
    ]);
  });
});
