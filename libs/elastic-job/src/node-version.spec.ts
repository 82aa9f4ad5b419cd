import { readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { expect, it } from 'vitest';
import { findNodeFault } from './node-version.js';

const MANIFEST: { readonly engines: { readonly node: string } } = JSON.parse(
  readFileSync('libs/elastic-job/package.json', 'utf8'),
);

it.each([
  ['18.20.8', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['21.7.3', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.0.0', true],
  ['26.1.0', true],
])('a Node that the manifest excludes is refused, and only such a one: %s', (version, isRight) => {
  expect([findNodeFault(version) === undefined, satisfies(version, MANIFEST.engines.node)]).toEqual([isRight, isRight]);
});

it('the error names the needed versions and the present one', () => {
  expect(findNodeFault('20.10.0')).toBe(
    'nestjs-elastic-job needs Node 20.19 or later of 20, or 22.12 or later, and this is Node 20.10.0; ' +
      'install a newer one, or see which one the PATH has.',
  );
});
