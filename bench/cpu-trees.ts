import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The folder of the working tree. */
export const WORKSPACE = fileURLToPath(new URL('..', import.meta.url));
const TRIAL = 'bench/cpu-trial.ts';
const PARTS = ['libs', 'package.json', 'test/support/faults', 'tsconfig.json'];
const run = promisify(execFile);

/**
 * Checks a commit's sources out into a temporary folder, with the working tree's packages and its trial. The folder is
 * deleted when this process ends.
 * @throws if there is no such commit
 */
export async function checkOut(ref: string): Promise<string> {
  const git = (...args: string[]) => run('git', ['-C', WORKSPACE, ...args]);
  const found = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`).catch(() => undefined);
  if (!found) throw new Error(`There is no commit ${ref} to measure against; name another one by --against.`);
  const directory = await mkdtemp(join(tmpdir(), 'elastic-job-cpu-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const archive = join(directory, 'sources.tar');
  await git('archive', '--output', archive, found.stdout.trim(), ...PARTS);
  await run('tar', ['-xf', archive, '-C', directory]);
  await symlink(join(WORKSPACE, 'node_modules'), join(directory, 'node_modules'));
  await mkdir(join(directory, 'bench'), { recursive: true });
  await copyFile(join(WORKSPACE, TRIAL), join(directory, TRIAL));
  return directory;
}
