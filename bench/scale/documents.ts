import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import type { Growth } from './plots/growth.js';
import { drawGrowth } from './plots/growth-plots.js';
import type { Judged } from './table.js';

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const FOLDER = new URL('../../docs/performance/', import.meta.url);
const GROWTH = new URL('growth.json', FOLDER);
/** Parts of the page, each between two marks, that this bench writes. */
type Part = 'table' | 'plots';

/** Writes the table into the page. @param note place and date of the measurement */
export async function writeTable(judged: readonly Judged[], note: string): Promise<void> {
  await rewritePage('table', formatMarkdown(judged, note));
}

export async function writeGrowth(growth: Growth): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFormatted(GROWTH, JSON.stringify(growth), 'json');
}

/** Draws the last measurement, and shows it in the page. @returns the number of written files */
export async function writePlots(): Promise<number> {
  const growth: Growth = JSON.parse(await readFile(GROWTH, 'utf8'));
  const plots = drawGrowth(growth);
  for (const { name, svg } of plots) await writeFile(new URL(`${name}.svg`, FOLDER), svg);
  const images = plots.map(({ name, title }) => `![${title}](performance/${name}.svg)`);
  await rewritePage('plots', [`${growth.note}:`, ...images].join('\n\n'));
  return plots.length;
}

async function rewritePage(part: Part, text: string): Promise<void> {
  await writeFormatted(PAGE, replacePart(await readFile(PAGE, 'utf8'), part, text), 'markdown');
}

/** Replaces the text between the two marks of a part. @throws if the page lacks one of them */
export function replacePart(page: string, part: Part, text: string): string {
  const [begin, end] = [`<!-- ${part}:begin -->`, `<!-- ${part}:end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has not the lines "${begin}" and "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
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
