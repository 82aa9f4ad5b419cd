import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RELEASE, sharedClass } from './shared.js';

it('gives both copies of the package the class of the first one', () => {
  expect(sharedClass('SharedBySpec')(Map)).toBe(Map);
  expect(sharedClass('SharedBySpec')<typeof Map | typeof Set>(Set)).toBe(Map);
  expect(sharedClass('OtherOfSpec')(Set)).toBe(Set);
});

it('shares nothing between releases', () => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync('libs/elastic-job/package.json', 'utf8'));
  expect(RELEASE).toBe(version);
});
