import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SOURCE = 'libs/elastic-job/src';
const FILE = `${SOURCE}/coordination/job-tree/company.ts`;
const HEADING = '\n## What changes beside Java\n';
const QUESTION = /^ {2}readonly (\w+) = this\.hasJava;/gm;
/** The first cell of a row. */
const ROW = /^\| `(\w+)`/gm;

describe('the differences that Java makes', () => {
  it('are the same in the table of docs/interop.md and in the questions of a company', () => {
    expect(questionsIn(readFileSync(FILE, 'utf8')).length).toBeGreaterThan(5);
    expect(rowsIn(readFileSync('docs/interop.md', 'utf8'))).toEqual(questionsIn(readFileSync(FILE, 'utf8')));
  });

  it('are asked somewhere in the sources, each of them', () => {
    const asked = new Set(sources().flatMap((text) => [...text.matchAll(/\.company\.(\w+)/g)].map(([, name]) => name)));
    expect(questionsIn(readFileSync(FILE, 'utf8')).filter((name) => !asked.has(name))).toEqual([]);
  });

  it('are noticed if only one side has a question', () => {
    expect(questionsIn('  readonly sleeps = this.hasJava;')).toEqual(['sleeps']);
    expect(rowsIn(`${HEADING}\n| Question |\n|---|\n| \`dreams\` | |\n\n## Next\n\n| \`other\` | |\n`)).toEqual([
      'dreams',
    ]);
  });
});

function questionsIn(text: string): string[] {
  return [...text.matchAll(QUESTION)].map(([, name]) => name!);
}

function rowsIn(page: string): string[] {
  const start = page.indexOf(HEADING);
  expect(start).toBeGreaterThanOrEqual(0);
  const section = page.slice(start, page.indexOf('\n## ', start + HEADING.length));
  return [...section.matchAll(ROW)].map(([, name]) => name!);
}

function sources(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
    .map((file) => readFileSync(`${SOURCE}/${file}`, 'utf8'));
}
