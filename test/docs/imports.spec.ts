import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const NOTE = /Jest[^]{0,200}`\.js`|`\.js`[^]{0,200}Jest/;
const FIRST_PAGES = ['README.md', 'README-zh-CN.md', 'docs/start/first-job.md', 'docs/zh/start/first-job.md'];
const MIGRATION = ['docs/migrate', 'docs/zh/migrate'].flatMap((folder) =>
  readdirSync(folder).map((page) => `${folder}/${page}`),
);

it('a page to begin with says what Jest needs where it imports own files with their extension', () => {
  const pages = [...FIRST_PAGES, ...MIGRATION].filter((page) => /from '\.\/.+\.js'/.test(readFileSync(page, 'utf8')));
  expect(pages.length).toBeGreaterThan(FIRST_PAGES.length);
  expect(pages.filter((page) => !NOTE.test(readFileSync(page, 'utf8')))).toEqual([]);
});
