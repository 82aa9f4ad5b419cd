import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findApplicationVersion } from './application-version.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'application-'));
  mkdirSync(join(root, 'apps/billing/dist'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const MAIN = 'apps/billing/dist/main.js';
const pack = (folder: string, text: string) => writeFileSync(join(root, folder, 'package.json'), text);

it('the release of an application is that of the nearest package above its main file', () => {
  pack('.', '{ "version": "1.0.0" }');
  expect(findApplicationVersion(join(root, MAIN))).toBe('1.0.0');
  pack('apps/billing', '{ "version": "1.43.1-rc.1+build.7" }');
  expect(findApplicationVersion(join(root, MAIN))).toBe('1.43.1-rc.1+build.7');
});

it.each([
  ['says none', '{ "name": "billing" }'],
  ['says one that a label cannot have', '{ "version": "1.0 beta" }'],
  ['says a number', '{ "version": 1 }'],
])('there is none if that package %s, whatever stands above it', (_, text) => {
  pack('.', '{ "version": "1.0.0" }');
  pack('apps/billing', text);
  expect(findApplicationVersion(join(root, MAIN))).toBeUndefined();
});

it.each([
  ['cannot be read', '{'],
  ['is no object', 'null'],
  ['says how modules were compiled alone', '{ "type": "module" }'],
])('a file that %s is passed by', (_, text) => {
  pack('.', '{ "version": "1.0.0" }');
  pack('apps/billing/dist', text);
  expect(findApplicationVersion(join(root, MAIN))).toBe('1.0.0');
});

it.each(['', '-', 'argument'])('there is none without a main file, as in a REPL or behind `node -e`: "%s"', (text) => {
  expect(findApplicationVersion(text)).toBeUndefined();
});
