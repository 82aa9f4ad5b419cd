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
/** Packed libraries by all that they are made of. To build one takes seconds, and several suites install the same. */
const KEPT = `${WORKSPACE}node_modules/.cache/built-library/`;
const MADE_WITH = ['package.json', 'tsconfig.lib.json', 'bundle.ts', 'commonjs.ts', '../../tsconfig.json'];

/**
 * Installs the packed library into each of the directories, as a user's package manager would: nothing but its tarball,
 * whose pages are checked elsewhere, as its own types are.
 * @param declarations true if it is built with them, for code that is compiled against it
 */
export async function installLibrary(directories: readonly string[], declarations = false): Promise<void> {
  const tarball = await pack(declarations);
  for (const directory of directories) {
    const installed = `${WORKSPACE}${directory}/node_modules/${PACKAGE}`;
    await rm(installed, { recursive: true, force: true });
    await mkdir(installed, { recursive: true });
    await promisify(execFile)('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  }
}

export function inWorkspace(path: string): string {
  return WORKSPACE + path;
}

/** @returns the tarball of the library, which is built and packed if nobody has done it with these sources */
async function pack(declarations: boolean): Promise<string> {
  const sources = await digestOfSources();
  const kept = `${KEPT}${sources}-${declarations ? 'with' : 'without'}-types.tgz`;
  if (existsSync(kept)) return kept;
  await mkdir(KEPT, { recursive: true });
  for (const former of await readdir(KEPT)) {
    if (/^[0-9a-f]{64}/.test(former) && !former.startsWith(sources)) await rm(KEPT + former, { recursive: true });
  }
  const made = await mkdtemp(`${KEPT}making-`);
  try {
    await compile(`${made}/dist`, declarations);
    await cp(`${LIBRARY}package.json`, `${made}/package.json`);
    // Its scripts copy the pages.
    const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', made, made];
    const { stdout } = await promisify(execFile)('npm', packing, { maxBuffer: 64 * 1_024 * 1_024 });
    const [{ filename }]: [{ readonly filename: string }] = JSON.parse(stdout);
    // Suites that begin together make the same, and the last one is kept.
    await rename(`${made}/${filename}`, kept);
  } finally {
    await rm(made, { recursive: true });
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
