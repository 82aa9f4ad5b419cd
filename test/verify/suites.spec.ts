import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SUITES } from '../suites.js';

const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
/** Parts of other suites. */
const PARTS = ['test:examples', 'test:interop:long'];

describe('the table of suites', () => {
  it('names each suite once', () => {
    const names = SUITES.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('has a suite for each script of tests, demos and checks', () => {
    const commands = SUITES.map(({ command }) => command).join('\n');
    const scripted = Object.keys(scripts).filter((name) => /^(test|demo)(:|$)/.test(name) && !PARTS.includes(name));
    expect(scripted.filter((name) => !new RegExp(`npm (run )?${name}(?![\\w:-])`).test(commands))).toEqual([]);
  });

  it('has a suite for each configuration of vitest', () => {
    const inputs = SUITES.flatMap(({ reads = [] }) => reads);
    const files = readdirSync('.').filter((file) => /^vitest\..*config\.ts$/.test(file));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !inputs.includes(file))).toEqual([]);
  });

  it('runs only scripts that exist', () => {
    const run = SUITES.flatMap(({ command }) =>
      [...command.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name!),
    );
    expect(run.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('gives each suite that is always run all files as its inputs', () => {
    const read = SUITES.filter(({ always }) => always).map(({ reads }) => reads);
    expect(read).toEqual(read.map(() => ['**']));
  });

  it('lets suites of vitest end in one run of it, to which the judge adds its reporters', () => {
    const strange = SUITES.filter(({ vitest }) => vitest).filter(
      ({ command }) => !/npm (run )?test[\w:-]*$/.test(command),
    );
    expect(strange).toEqual([]);
  });
});
