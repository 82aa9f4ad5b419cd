import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JOB_SETTINGS, type Setting, SETTING_NAMES } from './job-settings.js';
import { OptionTable } from './option-table.js';

const ROWS = SETTING_NAMES.map((name): [string, Setting] => [name, JOB_SETTINGS[name]]);
const isWord = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** The defaults that the comments of `JobOptions` state, by option. */
const TOLD = new Map(
  readFileSync(new URL('job-options.ts', import.meta.url), 'utf8')
    .split(';\n')
    .map((member) => [
      /readonly (?<name>\w+)\?:/.exec(member)?.groups?.['name'],
      /@default (?<told>[^:\s,]+)/.exec(member)?.groups?.['told'],
    ]),
);

describe('JOB_SETTINGS', () => {
  it.each(ROWS.filter(([name]) => name !== 'name'))(
    'accepts the default of %s by its own rule',
    (name, { rule, default: usual }) => {
      expect(new OptionTable({ [name]: { rule } }, 'a job').findBroken({ [name]: usual })).toEqual([]);
    },
  );

  // The defaults of name and dialect come from the place of the declaration and from the module.
  it.each(ROWS.filter(([name, row]) => isWord(row.default) && name !== 'name' && name !== 'cronDialect'))(
    'has the default of %s that the comment in JobOptions states',
    (name, { default: usual }) => {
      const told = typeof usual === 'number' ? TOLD.get(name)?.replaceAll('_', '') : TOLD.get(name);
      expect(told).toBe(typeof usual === 'string' ? `'${usual}'` : String(usual));
    },
  );
});
