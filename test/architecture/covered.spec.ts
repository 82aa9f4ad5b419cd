import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const RUNTIME = 'libs/elastic-job/src/runtime';
/** The first line of a file with code, not only types. */
const COVERED_BY = /^\/\/ Covered by (\S+)\n/;
const WORKS = /^export (abstract )?class |^export (async )?function /m;

it('a file of runtime with code names an existing suite in its first line', () => {
  const named = sources().map(({ file, text }) => ({ file, suite: COVERED_BY.exec(text)?.[1] ?? 'none' }));

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ suite }) => !existsSync(suite))).toEqual([]);
});

function sources() {
  return readdirSync(RUNTIME, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('index.ts'))
    .map((file) => ({ file, text: readFileSync(`${RUNTIME}/${file}`, 'utf8') }))
    .filter(({ text }) => WORKS.test(text));
}
