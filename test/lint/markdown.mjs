// Holds the Markdown of the workspace to 120 columns. Tables may be wider, and so may pages that are generated.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isTooWide } from './prose.mjs';

const GENERATED = [':!docs/reference', ':!libs/elastic-job/api', ':!test/fixtures'];
const FILES = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.md', ...GENERATED];

const paths = process.argv.slice(2);
const pages = paths.length > 0 ? paths : execFileSync('git', FILES, { encoding: 'utf8' }).split('\0').filter(Boolean);
const faults = pages.flatMap((page) =>
  readFileSync(page, 'utf8')
    .split('\n')
    .flatMap((line, index) => (!/^\s*\|/.test(line) && isTooWide(line) ? [`${page}:${index + 1}`] : [])),
);
for (const place of faults) console.error(`${place}: A line has more than 120 columns. Break it, or shorten it.`);
process.exitCode = faults.length > 0 ? 1 : 0;
