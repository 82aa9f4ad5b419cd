import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SOURCE = 'libs/elastic-job/src';
const PAGE = 'docs/architecture.md';
const HEADING = '\n## Glossary\n';
/** Terms, what they are, what they are not, and the file. */
const ROW = /^\| ([^|`]+?) +\| [^|]+ \| [^|]+ \| `([\w./-]+\.ts)` +\|$/gm;

describe('the glossary', () => {
  it('names only files that exist', () => {
    const rows = rowsIn(readFileSync(PAGE, 'utf8'));
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter(({ file }) => !isThere(file))).toEqual([]);
  });

  it('has a row on each line, and each term once', () => {
    const page = readFileSync(PAGE, 'utf8');
    const lines = sectionOf(page).match(/^\|/gm) ?? [];
    const terms = rowsIn(page).flatMap((row) => row.terms);
    expect(lines.length - 2).toBe(rowsIn(page).length); // Without the heading and the line below it.
    expect(terms).toEqual([...new Set(terms)]);
  });

  it('notices a file that is gone', () => {
    const [row] = rowsIn(`${HEADING}\n| dream, nap | sleep | work | \`runtime/dream.ts\` |\n\n## Next\n`);
    expect(row).toEqual({ terms: ['dream', 'nap'], file: 'runtime/dream.ts' });
    expect(isThere(row!.file)).toBe(false);
  });
});

function sectionOf(page: string): string {
  const start = page.indexOf(HEADING);
  expect(start).toBeGreaterThanOrEqual(0);
  return page.slice(start, page.indexOf('\n## ', start + HEADING.length));
}

function rowsIn(page: string) {
  return [...sectionOf(page).matchAll(ROW)].map(([, terms, file]) => ({ terms: terms!.split(', '), file: file! }));
}

function isThere(file: string): boolean {
  return existsSync(`${SOURCE}/${file}`);
}
