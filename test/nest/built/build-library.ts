import { execFile } from 'node:child_process';
import { cp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WORKSPACE = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGE = 'nestjs-elastic-job';

/**
 * Installs the built library into each of the directories, as a user's package manager would. Its own types are checked
 * elsewhere.
 * @param declarations true if it is built with them, for code that is compiled against it
 */
export async function installLibrary(directories: readonly string[], declarations = false): Promise<void> {
  for (const directory of directories) {
    const installed = `${WORKSPACE}${directory}/node_modules/${PACKAGE}`;
    await rm(installed, { recursive: true, force: true });
    await mkdir(installed, { recursive: true });
    await cp(`${WORKSPACE}libs/elastic-job/package.json`, `${installed}/package.json`);
    if (directory === directories[0]) await compile(`${installed}/dist`, declarations);
    else
      await cp(`${WORKSPACE}${directories[0]}/node_modules/${PACKAGE}/dist`, `${installed}/dist`, { recursive: true });
  }
}

export function inWorkspace(path: string): string {
  return WORKSPACE + path;
}

async function compile(outDir: string, declarations: boolean): Promise<void> {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = `${WORKSPACE}libs/elastic-job/tsconfig.lib.json`;
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
