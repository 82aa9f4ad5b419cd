import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { listPages, originalOf, placeOf, readBlocks } from './blocks/blocks.js';
import { CHECKS, findFaults } from './blocks/checks.js';
import { EXCEPTIONS, exceptionFor } from './blocks/exceptions.js';
import { findTypeFaults, samplesOf, writeSamples } from './blocks/samples.js';
import { runSample } from './blocks/start.js';

/** Lies below the workspace, so that packages are found, but where no tool looks for sources. */
const FOLDER = `${process.cwd()}/dist/docs-${process.pid}`;
/** A part of the paths of the pages to check; all of them by default. */
const { DOCS_PAGES = '' } = process.env;
const pages = listPages().filter((page) => page.includes(DOCS_PAGES));
const read = pages.map((page) => readBlocks(page));
const checked = read.map((page) => page.filter((block) => exceptionFor(block)?.without !== 'check'));
/** A translation has the code of its page but for comments, by `translations.spec.ts`, so that code runs once. */
const samples = pages.flatMap((page, index) => (originalOf(page) === page ? samplesOf(checked[index]!) : []));
const written = writeSamples(samples, FOLDER);
/** Applications of pages keep their databases and files in the folder in which they run. */
const LEFT_BEHIND = ['reports.db', 'history.db', 'audit.jsonl'];
afterAll(() => Promise.all([rm(FOLDER, { recursive: true }), ...LEFT_BEHIND.map((file) => rm(file, { force: true }))]));

/** The end of a file that starts an application: Nest logs no error of a hook, and Node shows lines of `dist`. */
const LAST_CALL = `bootstrap().catch((error: unknown) => {
  Logger.error(error);
  process.exit(1);
});
`;

describe('the blocks of all pages', () => {
  it('have tags of languages that are checked', () => {
    const unknown = checked.flat().filter(({ language }) => !(language in CHECKS));
    expect(unknown.map((block) => `${placeOf(block)}: The tag is "${block.language}".`)).toEqual([]);
  });

  it('are sound in their language', async () => {
    expect((await Promise.all(checked.map(findFaults))).flat()).toEqual([]);
  });

  it('compile, as far as they are TypeScript', () => {
    expect(findTypeFaults(written)).toEqual([]);
  }, 60_000);
});

describe('the main files that a reader copies', () => {
  it('log an error of the start, and end, instead of leaving it to Node', () => {
    const listed = execFileSync('git', ['ls-files', 'apps/**/main.ts', 'examples/**/main.ts']);
    const files = listed.toString().split('\n').filter(Boolean);
    const texts = [
      ...read.flat().map((block) => [placeOf(block), block.text] as const),
      ...files.map((file) => [file, readFileSync(file, 'utf8')] as const),
    ];
    const starts = texts.filter(
      ([, text]) => /\bapp\.listen\(|\bfunction bootstrap\(/.test(text) && /NestFactory/.test(text),
    );
    const faults = starts.filter(([, text]) => !text.endsWith(LAST_CALL));
    expect(faults.map(([place]) => place)).toEqual([]);
  });
});

describe('the exceptions', () => {
  it('hold for a block each', () => {
    const used = new Set(read.flat().map((block) => exceptionFor(block)));
    const unused = EXCEPTIONS.filter((exception) => pages.includes(exception.page) && !used.has(exception));
    expect(unused).toEqual([]);
    expect(EXCEPTIONS.filter(({ page }) => !existsSync(page))).toEqual([]);
  });

  it('name specs that exist', () => {
    expect(EXCEPTIONS.filter(({ by }) => by !== undefined && !existsSync(by))).toEqual([]);
  });
});

const run = [...written].filter(([{ blocks }]) => blocks.every((block) => exceptionFor(block) === undefined));
const specs = run.flatMap(([{ title }, files]) =>
  files.filter(({ isSpec }) => isSpec).map(({ path }) => [title, path]),
);
const others = run.map(([{ title }, files]) => [title, files.filter(({ isSpec }) => !isSpec)] as const);

describe.each(specs)('%s', async (_, path) => {
  // The tests that it defines are of this suite.
  await import(path).catch((error: unknown) => {
    it('can be read', () => expect(error).toBeUndefined());
  });
});

it.concurrent.each(others.filter(([, files]) => files.length > 0))(
  '%s runs, or its application starts and closes',
  async (_, files) => {
    await expect(runSample(files)).resolves.toBeUndefined();
  },
);
