import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SOURCE = 'libs/elastic-job/src';
/** Code that writes to Nest's log, or to the terminal. */
const WRITES = /\bnew (?:Console)?Logger\(|\b(?:Console)?Logger\.\w+\(|\bconsole\.\w+\(|\bstd(?:out|err)\.write\(/;

it('the library writes to the log in one place, which cuts a message and makes it one visible line', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
    .filter((file) => WRITES.test(withoutComments(readFileSync(`${SOURCE}/${file}`, 'utf8'))));

  expect(files).toEqual(['nest/line-log.ts']);
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
}
