import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { strangePackages } from './installed.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'installed-'));
  mkdirSync(join(root, 'node_modules'));
  write('package-lock.json', {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/optional': { version: '1.0.0' },
    'node_modules/own': { link: true },
  });
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, packages: object): void {
  writeFileSync(join(root, file), JSON.stringify({ packages }));
}

it('finds none if what is installed is what the lock file says, without packages of other platforms', () => {
  write('node_modules/.package-lock.json', {
    'node_modules/a': { version: '1.0.0' },
    'node_modules/own': { link: true },
  });
  expect(strangePackages(root)).toEqual([]);
});

it('names packages of another version, and those that the lock file does not have', () => {
  write('node_modules/.package-lock.json', {
    'node_modules/a': { version: '1.0.1' },
    'node_modules/b': { version: '2.0.0' },
  });
  expect(strangePackages(root)).toEqual(['node_modules/a 1.0.1', 'node_modules/b 2.0.0']);
});
