import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inWorkspace } from '../../nest/built/build-library.js';
import { readBlocks } from './blocks.js';
import { findFaults } from './checks.js';
import { findTypeFaults, samplesOf, type WrittenFile, writeSamples } from './samples.js';
import { runSample } from './start.js';

const PAGE = 'page.md';
const block = (language: string, ...lines: readonly string[]) => ['```' + language, ...lines, '```', ''].join('\n');
const read = (...parts: readonly string[]) => readBlocks(PAGE, parts.join('\n'));

let folder: string;
beforeAll(async () => {
  await mkdir(inWorkspace('dist'), { recursive: true });
  folder = await mkdtemp(inWorkspace('dist/blocks-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('readBlocks', () => {
  it('gives language, line, section and file of each block', () => {
    expect(read('# Title', block('sh', 'ls'), '## One', block('ts{1,3} twoslash', '// src/a.ts', 'let a;'))).toEqual([
      { page: PAGE, line: 3, section: '', language: 'sh', text: 'ls\n', file: undefined, setUp: [] },
      {
        page: PAGE,
        line: 8,
        section: 'One',
        language: 'ts',
        text: '// src/a.ts\nlet a;\n',
        file: 'src/a.ts',
        setUp: [],
      },
    ]);
  });

  it.each([
    ['of tildes', '~~~json\n{}\n~~~', 'json', '{}\n'],
    ['of a list', '- Item\n\n  ```sh\n  ls\n    -a\n  ```', 'sh', 'ls\n  -a\n'],
    ['around another one', '````ts\n```\n````', 'ts', '```\n'],
    ['with a heading inside', '```sh\n## Two\n```', 'sh', '## Two\n'],
    ['without a tag', '```\nx\n```', '', 'x\n'],
    ['without content', '```yaml\n```', 'yaml', ''],
  ])('reads a fence %s', (_, page, language, text) => {
    expect(read(page)).toMatchObject([{ section: '', language, text }]);
  });

  it('gives a block the set-up files that comments right above it name', () => {
    const [first, second] = read('<!-- with: a.ts -->', '<!-- with: b.md -->', '', block('ts'), block('ts'));
    expect([first?.setUp, second?.setUp]).toEqual([['a.ts', 'b.md'], []]);
    expect(read('<!-- with: a.ts -->', 'Prose.', block('ts'))[0]?.setUp).toEqual([]);
  });

  it('throws if a block has no end', () => {
    expect(() => read('```ts', 'let a;')).toThrow('page.md:2: The block has no end.');
  });
});

describe('samplesOf', () => {
  const titles = (...parts: readonly string[]) =>
    samplesOf(read(...parts)).map(({ files }) => [...files].map(([name, { line }]) => `${name}:${line}`));

  it('takes a block that names no file by itself', () => {
    expect(titles(block('ts', 'a;'), block('sh', 'ls'), block('ts', 'b;'))).toEqual([['block.ts:2'], ['block.ts:10']]);
  });

  it('takes blocks that name files together, also from section to section', () => {
    expect(titles('## A', block('ts', '// a.ts'), '## B', block('ts', '// b.ts'))).toEqual([['a.ts:3', 'b.ts:8']]);
  });

  it('takes the files as they were before a section replaces one, and after', () => {
    const replaced = ['## A', block('ts', '// a.ts'), block('ts', '// b.ts'), '## B', block('ts', '// a.ts')];
    expect(titles(...replaced)).toEqual([
      ['a.ts:3', 'b.ts:7'],
      ['a.ts:12', 'b.ts:7'],
    ]);
  });
});

describe('findFaults', () => {
  it.each([
    ['sh', 'if true; then'],
    ['sh', 'npm run no-such-script'],
    ['sh', 'npx vitest run test/no-such-folder'],
    ['yaml', 'a: b: c'],
    ['yaml', 'apiVersion: v1'],
    ['yaml', 'a: 1\n---\nkind: Pod'],
    ['json', '{ "a": 1, }'],
    ['mermaid', 'flowchart LR\n  a[open --> b'],
    ['mermaid', 'no diagram'],
    ['sql', 'select * from nowhere'],
    ['properties', 'a value without a key'],
  ])('finds a fault of %s: %s', async (language, text) => {
    expect(await findFaults(read(block(language, text)))).toEqual([expect.stringMatching(/^page\.md:2: \S/)]);
  });

  it.each([
    ['sh', 'npm run build && npm test\nnpx vitest run test/docs # and more'],
    ['yaml', 'apiVersion: v1\nkind: Pod\n---\njobs: {}'],
    ['json', '{ "a": 1 }'],
    ['mermaid', 'flowchart LR\n  a[opens] --> b'],
    ['mermaid', 'sequenceDiagram\n  A->>B: begins'],
    ['mermaid', 'stateDiagram-v2\n  [*] --> running'],
    ['properties', '# Comment\n\nserver.lists=a:2181\nnamespace: b'],
  ])('finds none in sound %s: %s', async (language, text) => {
    expect(await findFaults(read(block(language, text)))).toEqual([]);
  });

  it('executes SQL after the earlier blocks of the page', async () => {
    expect(await findFaults(read(block('sql', 'create table a (b);'), block('sql', 'select b from a;')))).toEqual([]);
  });
});

describe('findTypeFaults', () => {
  it('names the line of the page', () => {
    const samples = samplesOf(read('Prose.', block('ts', 'export const a = 1;', 'const b: string = a;')));
    expect(findTypeFaults(writeSamples(samples, join(folder, 'types')))).toEqual([
      "page.md:4: Type 'number' is not assignable to type 'string'.",
    ]);
  });
});

describe('runSample', () => {
  const NEST = [
    "import { Injectable, Module } from '@nestjs/common';",
    "import { ElasticJobModule } from 'nestjs-elastic-job';",
  ];
  const SERVICE = ['@Injectable()', 'class Service { constructor(readonly part: Part) {} }'];
  const REGISTRY = "registry: { type: 'zookeeper', servers: '127.0.0.1:1', namespace: 'a' }";
  const MODULE = `@Module({ imports: [ElasticJobModule.forRoot({ ${REGISTRY} })] })`;
  const written = (name: string, ...parts: readonly string[]): readonly WrittenFile[] =>
    [...writeSamples(samplesOf(read(...parts)), join(folder, name)).values()].flat();

  it('starts a module over a registry in memory, also if its options name another one', async () => {
    const files = written('module', block('ts', ...NEST, MODULE, 'class AppModule {}'));
    await expect(runSample(files)).resolves.toBeUndefined();
  });

  it('rejects if a module lacks what its providers need', async () => {
    const lines = [...NEST, '@Injectable() class Part {}', ...SERVICE, '@Module({ providers: [Service] }) class A {}'];
    await expect(runSample(written('lacking', block('ts', ...lines)))).rejects.toThrow(/dependencies of the Service/);
  });

  it('starts providers that no module has', async () => {
    const files = written('providers', block('ts', ...NEST, '@Injectable() class Part {}', ...SERVICE));
    await expect(runSample(files)).resolves.toBeUndefined();
  });

  it('starts providers with the module of a set-up file', async () => {
    const setUp = join(folder, 'parts.ts');
    const lines = ['@Injectable()', 'export class Part {}', '@Module({ providers: [Part], exports: [Part] })'];
    await writeFile(setUp, [...NEST, ...lines, 'export default class {}'].join('\n'));
    const code = block('ts', ...NEST, "import { Part } from './parts.js';", ...SERVICE);
    await expect(runSample(written('with', `<!-- with: ${setUp} -->`, code))).resolves.toBeUndefined();
    await expect(runSample(written('without', `<!-- with: ${setUp} -->`, code).slice(1))).rejects.toThrow(/Service/);
  });

  it('waits for a main function, and closes its application', async () => {
    const files = written(
      'main',
      block('ts', '// src/app.module.ts', ...NEST, MODULE, 'export class AppModule {}'),
      block(
        'ts',
        '// src/main.ts',
        "import { NestFactory } from '@nestjs/core';",
        "import { AppModule } from './app.module.js';",
        'export const seen: string[] = [];',
        'async function main() {',
        '  const app = await NestFactory.create(AppModule);',
        '  await app.listen(3000);',
        '  seen.push(await app.getUrl());',
        '}',
        'void main();',
      ),
    );
    await runSample(files);
    const { seen }: { seen: readonly string[] } = await import(files[1]!.path);
    await expect(fetch(seen[0]!)).rejects.toThrow('fetch failed');
  });

  it('rejects if a main function does', async () => {
    const lines = ['async function main() {', "  throw new Error('no luck');", '}', 'void main();'];
    await expect(runSample(written('failing', block('ts', ...lines)))).rejects.toThrow('no luck');
  });

  it('rejects with the error that a last call would log before it ends the process', async () => {
    const start = ['async function bootstrap() {', "  throw new Error('no luck');", '}'];
    const last = ['bootstrap().catch((error: unknown) => {', '  console.error(error);', '  process.exit(1);', '});'];
    const files = written('caught', block('ts', ...start, '', ...last));
    await expect(runSample(files)).rejects.toThrow('no luck');
  });
});
