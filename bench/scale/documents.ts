import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import type { Growth } from './plots/growth.js';
import { drawGrowth } from './plots/growth-plots.js';
import type { Judged } from './table.js';

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const FOLDER = new URL('../../docs/performance/', import.meta.url);
const GROWTH = new URL('growth.json', FOLDER);
const BEGIN = '<!-- table:begin, written by npm run bench:scale -- --write-docs -->';
const END = '<!-- table:end -->';

/** Writes the table into the page. @param note where and when it was measured */
export async function writeTable(judged: readonly Judged[], note: string): Promise<void> {
  const page = putTable(await readFile(PAGE, 'utf8'), formatMarkdown(judged, note));
  await writeFormatted(PAGE, page, 'markdown');
}

export async function writeGrowth(growth: Growth): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFormatted(GROWTH, JSON.stringify(growth), 'json');
}

/** Draws what was measured last. @returns how many files were written */
export async function writePlots(): Promise<number> {
  const growth: Growth = JSON.parse(await readFile(GROWTH, 'utf8'));
  const plots = Object.entries(drawGrowth(growth));
  for (const [name, svg] of plots) await writeFile(new URL(`${name}.svg`, FOLDER), svg);
  return plots.length;
}

/** Replaces what stands between the two marks. @throws if the page has not both of them */
export function putTable(page: string, table: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page has not the lines "${BEGIN}" and "${END}".`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`;
}

export function formatMarkdown(judged: readonly Judged[], note: string): string {
  const lines = judged.map(
    ({ row, measured, wanted, verdict }) => `| ${row.letter} | ${row.title} | ${measured} | ${wanted} | ${verdict} |`,
  );
  return [`${note}:`, '', '| | row | measured | wanted | |', '| --- | --- | ---: | ---: | --- |', ...lines].join('\n');
}

async function writeFormatted(file: URL, text: string, parser: 'markdown' | 'json'): Promise<void> {
  const options = await resolveConfig(file);
  await writeFile(file, await format(text, { ...options, parser }));
}
