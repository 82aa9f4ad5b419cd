// npm run build:library: puts the modules that the compiler has just written into one file for each entry of the
// package, and what entries share into a few more. Hundreds of small files take longer to load than all that they hold.
// Declarations stay as they are.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Plugin, rolldown } from 'rolldown';

const { positionals } = parseArgs({ allowPositionals: true });
const MODULES = resolve(positionals[0] ?? 'libs/elastic-job/dist');
/** A module names a file beside it that it does not import: `new URL('./thread.js', import.meta.url)`. */
const BESIDE = /(?<== )new URL\('(\.[^']+)', import\.meta\.url\)/g;
/** Checks the version of Node. Each entry imports it before all others, also before packages that need a newer Node. */
const FIRST = 'node-version.js';
const FROM_MODULES = /(?<=new URL\(")from-modules:([^"]+)(?=", import\.meta\.url\))/g;

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: { readonly default: string } }>>;
}

const { exports }: Manifest = JSON.parse(readFileSync('libs/elastic-job/package.json', 'utf8'));
const entries = Object.values(exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.default.default.replace('./dist/', '')],
);

const bundle = await rolldown({
  input: Object.fromEntries([FIRST, ...entries].map((entry) => [entry.replace(/\.js$/, ''), join(MODULES, entry)])),
  external: (name) => !/^[./]/.test(name),
  platform: 'node',
  plugins: [filesBeside()],
});
const { output } = await bundle.generate({
  format: 'esm',
  // Nest injects by class and logs its name.
  keepNames: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'shared/[name].js',
});
await bundle.close();

for (const file of readdirSync(MODULES, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.js')) rmSync(join(MODULES, file));
}
for (const file of output) {
  if (file.type !== 'chunk') throw new Error(`${file.fileName} is no module.`);
  mkdirSync(dirname(join(MODULES, file.fileName)), { recursive: true });
  if (file.code.includes('from-modules:')) throw new Error(`${file.fileName} names a file in a way that is not known.`);
  const isChecked = file.isEntry && file.fileName !== FIRST;
  const first = isChecked ? `import '${pathFrom(dirname(file.fileName), FIRST)}';\n` : '';
  writeFileSync(join(MODULES, file.fileName), first + file.code);
}

/** Keeps such names right wherever the module's text goes. */
function filesBeside(): Plugin {
  return {
    name: 'files-beside',
    transform(code, module) {
      const from = (path: string) => relative(MODULES, join(dirname(module), path));
      return code.replace(BESIDE, (_, path: string) => `new URL('from-modules:${from(path)}', import.meta.url)`);
    },
    renderChunk(code, { fileName }) {
      return code.replace(FROM_MODULES, (_, path: string) => pathFrom(dirname(fileName), path));
    },
  };
}

function pathFrom(folder: string, path: string): string {
  return relative(folder, path).replace(/^(?!\.)/, './');
}
