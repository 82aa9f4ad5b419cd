import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WORKSPACE = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGE = 'nestjs-elastic-job';
const LIBRARY = `${WORKSPACE}libs/elastic-job/`;
/** Built libraries by all that they are made of. To build one takes seconds, and several suites install the same. */
const KEPT = `${WORKSPACE}node_modules/.cache/built-library/`;
const MADE_WITH = ['package.json', 'tsconfig.lib.json', 'bundle.ts', 'commonjs.ts', '../../tsconfig.json'];

/**
 * Installs the built library into each of the directories, as a user's package manager would. Its own types are checked
 * elsewhere.
 * @param declarations true if it is built with them, for code that is compiled against it
 */
export async function installLibrary(directories: readonly string[], declarations = false): Promise<void> {
  const built = await build(declarations);
  for (const directory of directories) {
    const installed = `${WORKSPACE}${directory}/node_modules/${PACKAGE}`;
    await rm(installed, { recursive: true, force: true });
    await mkdir(installed, { recursive: true });
    await cp(`${LIBRARY}package.json`, `${installed}/package.json`);
    await cp(built, `${installed}/dist`, { recursive: true });
  }
}

export function inWorkspace(path: string): string {
  return WORKSPACE + path;
}

/** @returns the directory of the library, which is built if nobody has built it of these sources */
async function build(declarations: boolean): Promise<string> {
  const sources = await digestOfSources();
  const kept = `${KEPT}${sources}-${declarations ? 'with' : 'without'}-types`;
  if (existsSync(kept)) return kept;
  await mkdir(KEPT, { recursive: true });
  for (const former of await readdir(KEPT)) {
    if (/^[0-9a-f]{64}/.test(former) && !former.startsWith(sources)) await rm(KEPT + former, { recursive: true });
  }
  const made = await mkdtemp(`${KEPT}making-`);
  try {
    await compile(made, declarations);
    await rename(made, kept);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    // Suites that begin together build the same, and the first one is kept.
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

async function digestOfSources(): Promise<string> {
  const listed = await readdir(`${LIBRARY}src`, { recursive: true });
  const sources = listed.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts')).toSorted();
  const digest = createHash('sha256').update(process.version);
  // The lock file stands for the compiler and the bundler.
  for (const file of [...MADE_WITH, '../../package-lock.json', ...sources.map((source) => `src/${source}`)]) {
    digest.update(file).update(await readFile(LIBRARY + file));
  }
  return digest.digest('hex');
}

async function compile(outDir: string, declarations: boolean): Promise<void> {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = `${LIBRARY}tsconfig.lib.json`;
  const options = [
    '--noCheck',
    '--declaration',
    `${declarations}`,
    '--declarationMap',
    'false',
    '--sourceMap',
    'false',
  ];
  await promisify(execFile)(process.execPath, [tsc, '-p', project, '--outDir', outDir, ...options]);
  const typescript = ['--import', './test/support/faults/register-typescript.mjs'];
  for (const step of ['bundle', 'commonjs']) {
    const building = [...typescript, `libs/elastic-job/${step}.ts`, outDir];
    await promisify(execFile)(process.execPath, building, { cwd: WORKSPACE });
  }
}
