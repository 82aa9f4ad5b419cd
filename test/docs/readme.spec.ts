import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readBlocks } from './readme/blocks.js';
import { EXCEPTIONS, LANGUAGES } from './readme/exceptions.js';

const blocks = readBlocks(readFileSync('README.md', 'utf8'));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pathsIn('docs', '.md')];

describe('README.md', () => {
  it('given its blocks, when they are read, then each has a tag of a language that a test reads', () => {
    expect(blocks.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
  });

  it('given its blocks of code, when they are read, then each names its file', () => {
    const code = blocks.filter(({ language }) => language !== 'sh');
    expect(code.filter(({ file }) => file === undefined)).toEqual([]);
  });

  it('given the exceptions, when the page is read, then each stands there', () => {
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim());
    expect(commands).toEqual(expect.arrayContaining(Object.keys(EXCEPTIONS)));
  });
});

it('given all pages, when their blocks of YAML and JSON are parsed, then none has an error', () => {
  const texts = PAGES.flatMap((page) => readBlocks(readFileSync(page, 'utf8')).map((block) => ({ page, ...block })));
  const isData = ({ language }: { readonly language: string }) => ['yaml', 'json'].includes(language);
  expect(texts.filter(isData).flatMap(({ page, text }) => faultsIn(text).map((fault) => `${page}: ${fault}`))).toEqual(
    [],
  );
});

it('given the files of .github, when they are parsed, then none has an error', () => {
  const files = pathsIn('.github', '.yml');
  expect(files.flatMap((file) => faultsIn(readFileSync(file, 'utf8')).map((fault) => `${file}: ${fault}`))).toEqual([]);
});

it('given a contributor on GitHub, when an issue or a pull request is opened, then a template and CI wait for it', () => {
  const issues = pathsIn('.github/ISSUE_TEMPLATE', '.yml').filter((file) => !file.endsWith('/config.yml'));
  const forms = issues.map((file) => parse(readFileSync(file, 'utf8')));
  expect(forms.length).toBeGreaterThan(0);
  for (const form of forms) {
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String), body: expect.any(Array) });
  }
  expect(readFileSync('.github/PULL_REQUEST_TEMPLATE.md', 'utf8')).toMatch(/^## /m);

  const workflows = pathsIn('.github/workflows', '.yml').map((file) => parse(readFileSync(file, 'utf8')));
  const asked = workflows.filter(({ on }) => 'pull_request' in on);
  const steps = asked.flatMap(({ jobs }) => Object.values<Job>(jobs)).flatMap((job) => job.steps);
  expect(steps.filter(({ run }) => /\.ci\/run\s*$/.test(run ?? ''))).toHaveLength(1);
});

it('given the limit of .ci/run, when GitHub runs it, then that has the time to set up as well, and no more than ten minutes', () => {
  const [, seconds] = /^MOST_SECONDS=(\d+)$/m.exec(readFileSync('.ci/run', 'utf8')) ?? [];
  const { jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8'));
  expect(Number(seconds)).toBe(3_300);
  expect(jobs.run['timeout-minutes']).toBe(65);
});

interface Job {
  readonly steps: readonly { readonly run?: string }[];
}

/** JSON is YAML as well. */
function faultsIn(text: string): readonly string[] {
  return parseAllDocuments(text).flatMap(({ errors }) => errors.map(({ message }) => message));
}

function pathsIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => `${folder}/${path}`);
}
