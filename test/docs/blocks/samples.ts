import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { type Block, filesUpTo, placeOf, readBlocks } from './blocks.js';

/** TypeScript that is compiled and run together: a block by itself, or the files of a page up to a section. */
export interface Sample {
  /** The place of its last block. */
  readonly title: string;
  readonly blocks: readonly Block[];
  /** The files by their paths in a folder of their own. */
  readonly files: ReadonlyMap<string, Source>;
}

/** The text of a file of a sample: a block, or a set-up file. */
interface Source {
  /** The place of its first line. */
  readonly page: string;
  readonly line: number;
  readonly text: string;
  /** A file that a comment above a block names. */
  readonly isSetUp?: boolean;
}

/** A file of a sample as it is compiled and run. */
export interface WrittenFile extends Source {
  readonly path: string;
  /** True if Vitest runs it. */
  readonly isSpec: boolean;
}

export type WrittenSamples = ReadonlyMap<Sample, readonly WrittenFile[]>;

/** The file of a block that names none. */
const ALONE = 'block.ts';

/** The samples of a page. A section whose files all stay as they are in the next one has no sample of its own. */
export function samplesOf(blocks: readonly Block[]): readonly Sample[] {
  const code = blocks.filter(({ language }) => language === 'ts');
  const alone = code.filter(({ file }) => file === undefined).map((block) => sampleOf(new Map([[ALONE, block]])));
  const sections = [...new Set(code.filter(({ file }) => file !== undefined).map(({ section }) => section))];
  const states = sections.map((section) => filesUpTo(code, section));
  return [...states.filter((state, index) => !isWithin(state, states[index + 1])).map(sampleOf), ...alone];
}

function isWithin(state: ReadonlyMap<string, Block>, next: ReadonlyMap<string, Block> | undefined): boolean {
  return next !== undefined && [...state].every(([file, block]) => next.get(file) === block);
}

function sampleOf(files: ReadonlyMap<string, Block>): Sample {
  const blocks = [...files.values()].toSorted((a, b) => a.line - b.line);
  const setUp = [...files].flatMap(([file, block]) => block.setUp.flatMap((path) => readSetUp(path, file)));
  return { title: placeOf(blocks.at(-1)!), blocks, files: new Map<string, Source>([...setUp, ...files]) };
}

/** A TypeScript file, which lies beside the block, or all files of another page, on which the block builds. */
function readSetUp(path: string, file: string): readonly (readonly [string, Source])[] {
  if (path.endsWith('.md')) {
    const last = samplesOf(readBlocks(path)).findLast(({ files }) => !files.has(ALONE));
    if (last === undefined) throw new Error(`${path} has no block that names its file.`);
    return [...last.files];
  }
  const source = { page: path, line: 1, text: readFileSync(path, 'utf8'), isSetUp: true };
  return [[join(dirname(file), basename(path)), source]];
}

/** Writes each sample to a folder of its own. */
export function writeSamples(samples: readonly Sample[], folder: string): WrittenSamples {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  return new Map(
    samples.map((sample, index) => {
      const files = [...sample.files].map(([name, source]) => {
        const path = join(folder, String(index), name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, runnable(source.text));
        return { ...source, path, isSpec: /from 'vitest'/.test(source.text) };
      });
      return [sample, files];
    }),
  );
}

/** The compiler options of a project that `nest new` makes, as far as they matter. */
export const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'ES2023',
  strict: true,
  strictPropertyInitialization: false,
  isolatedModules: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  types: ['node'],
};

/**
 * The text with its last call awaited, `void main();` or `bootstrap().catch(...)`, whose handler is left out, and with
 * all declarations at its top exported. Its importer then knows when it has run, and finds its classes. No line moves.
 */
function runnable(text: string): string {
  const source = ts.createSourceFile('block.ts', text, ts.ScriptTarget.ES2023);
  const names = source.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (isExported === true) return [];
    if (ts.isClassDeclaration(statement)) return statement.name ? [statement.name.text] : [];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  });
  const awaited = text.replace(/^void /gm, 'await ').replace(/^bootstrap\(\)\.catch\(/m, 'await bootstrap(); void (');
  return `${awaited}export { ${names.join(', ')} };\n`;
}

/** Errors of types, at the lines of the pages. The library is that of this workspace, by the names of its entries. */
export function findTypeFaults(written: WrittenSamples): readonly string[] {
  const files = new Map([...written.values()].flat().map((file) => [file.path, file]));
  const settings = { ...COMPILER_OPTIONS, noEmit: true, paths: libraryPaths() };
  const program = ts.createProgram([...files.keys()], ts.convertCompilerOptionsFromJson(settings, '.').options);
  const faults = [...files].flatMap(([path, { page, line }]) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((fault) => {
      const offset = source?.getLineAndCharacterOfPosition(fault.start ?? 0).line ?? 0;
      return `${placeOf({ page, line: line + offset })}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`;
    });
  });
  return [...new Set(faults)];
}

function libraryPaths(): Readonly<Record<string, readonly string[]>> {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path));
  const paths = Object.entries<readonly string[]>(config.compilerOptions.paths);
  return Object.fromEntries(
    paths.flatMap(([name, [source = '']]) =>
      [name, name.replace('@app/elastic-job', 'nestjs-elastic-job')].map((one) => [one, [join(process.cwd(), source)]]),
    ),
  );
}
