import { dirname, join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import type { Tree } from './tree.js';

const IS_CODE = /\.[cm]?[jt]s$/;
/** A module names a file beside it: `new URL('./thread.js', import.meta.url)`. */
const BESIDE = /new URL\(\s*(['"`])([^'"`$]+)\1,\s*import\.meta\.url\s*,?\s*\)/g;
/** The same in what is kept of a module, wherever it stands then. */
const NAMED = /of-the-tree:([^'"`]+)/g;
const LIBRARY = /^nestjs-elastic-job(?=\/|$)/;

/** The code of some programs. */
export interface KeptCode {
  /** Code that is kept of the programs and of what they import, without comments, file by file. */
  readonly chunks: readonly string[];
  /** Paths of modules of which something is kept. */
  readonly kept: ReadonlySet<string>;
  /** Paths of all modules that are loaded. A process that shakes no tree needs them. */
  readonly loaded: ReadonlySet<string>;
  /** Paths of other files that the kept code names. */
  readonly named: ReadonlySet<string>;
}

/**
 * Follows programs by the names that they import. Threads and processes that the kept code names by their files are
 * programs as well. Packages of others are not followed: the lock file stands for them.
 */
export async function keptCode(tree: Tree, programs: readonly string[]): Promise<KeptCode> {
  const all = new Set(programs);
  const named = new Set<string>();
  for (;;) {
    const made = await bundle(tree, [...all].toSorted());
    const fresh = [...made.named].filter((file) => IS_CODE.test(file) && !all.has(file));
    for (const file of made.named) if (!IS_CODE.test(file)) named.add(file);
    if (fresh.length === 0) return { ...made, named };
    for (const file of fresh) all.add(file);
  }
}

async function bundle(tree: Tree, programs: readonly string[]): Promise<KeptCode> {
  const loaded = new Set<string>();
  const made = await rolldown({
    input: Object.fromEntries(programs.map((program) => [program, join(tree.root, program)])),
    cwd: tree.root,
    tsconfig: join(tree.root, 'tsconfig.json'),
    external: (name) => !/^[./]|^@(app|test)\//.test(name) && !LIBRARY.test(name),
    platform: 'node',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    logLevel: 'silent',
    plugins: [sourcesOf(tree, loaded)],
  });
  try {
    const { output } = await made.generate({
      format: 'esm',
      comments: false,
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, legalComments: 'none' } },
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
    });
    const files = output.filter((file) => file.type === 'chunk');
    const pathOf = (module: string) => relative(tree.root, module);
    const modules = files.flatMap((file) => Object.entries(file.modules));
    // The bundler's own helpers have names that begin with NUL.
    const rendered = modules.filter(([module, { renderedLength }]) => renderedLength > 0 && !module.startsWith('\0'));
    return {
      chunks: files.map(({ fileName, code }) => `${fileName}\n${code}`).toSorted(),
      kept: new Set([...programs, ...rendered.map(([module]) => pathOf(module))]),
      loaded,
      named: new Set(files.flatMap(({ code }) => [...code.matchAll(NAMED)].map(([, file]) => file!))),
    };
  } finally {
    await made.close();
  }
}

/** Gives modules their text in the tree, in which files beside them have the names of the tree. */
function sourcesOf(tree: Tree, loaded: Set<string>): Plugin {
  return {
    name: 'sources-of-the-tree',
    resolveId: {
      filter: { id: LIBRARY },
      handler(name, importer) {
        return this.resolve(name.replace(LIBRARY, '@app/elastic-job'), importer, { skipSelf: true });
      },
    },
    load: {
      filter: { id: IS_CODE },
      handler(module) {
        const path = relative(tree.root, module);
        if (!tree.has(path)) return null;
        loaded.add(path);
        const besides = (whole: string, _: string, name: string) => {
          const file = fileOf(tree, join(dirname(path), name));
          return file === undefined ? whole : `new URL("of-the-tree:${file}")`;
        };
        return { code: tree.text(path).replaceAll(BESIDE, besides) };
      },
    },
  };
}

/** The file of a name, where a module in TypeScript may be named as what it becomes. Undefined for a folder. */
function fileOf(tree: Tree, name: string): string | undefined {
  return [name, name.replace(/\.js$/, '.ts'), name.replace(/\.mjs$/, '.mts')].find((file) => tree.has(file));
}
