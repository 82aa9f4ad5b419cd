import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { functionsIn } from '../model/actions.js';

const SOURCE = 'libs/elastic-job/src';
/** Files of the page are named with `page/src`. */
const PAGE = 'libs/elastic-job';
/** `Class.method` or `function`, then its file. The file is in brackets, or both are. */
const NAMED = /`((?:[A-Z]\w+\.)?[a-z]\w+)`(?:,\s+|\s+\()`([\w./-]+\.tsx?)`/g;

describe('the walks through the code', () => {
  it.each([
    '## One trigger, from tick to settled item',
    '## One crash, to finished failover',
    "## One operator's trigger",
    '## One change in the console',
    '## One task',
  ])('name only functions that the sources have, under "%s"', (heading) => {
    const named = functionsNamedIn(sectionOf(heading));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ name, file }) => !isThere(name, file))).toEqual([]);
  });

  it('notice a function that is gone', () => {
    const [gone] = functionsNamedIn('1. `Tick.dream` (`runtime/triggering/tick.ts`): sleeps.');
    expect(gone).toEqual({ name: 'Tick.dream', file: 'runtime/triggering/tick.ts' });
    expect(isThere(gone!.name, gone!.file)).toBe(false);
  });
});

function sectionOf(heading: string): string {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const start = page.indexOf(heading);
  expect(start).toBeGreaterThan(0);
  return page.slice(start, page.indexOf('\n## ', start + heading.length));
}

function functionsNamedIn(text: string) {
  return [...text.matchAll(NAMED)].map(([, name, file]) => ({ name: name!, file: file! }));
}

function isThere(name: string, file: string): boolean {
  const path = `${file.startsWith('page/') ? PAGE : SOURCE}/${file}`;
  return existsSync(path) && functionsIn(path, readFileSync(path, 'utf8')).has(name);
}
