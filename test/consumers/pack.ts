import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { succeed } from './command.js';

const WORKSPACE = fileURLToPath(new URL('../../', import.meta.url));

/** Builds both copies of this workspace's library, and packs it into a folder. @returns the tarball's path */
export async function packLibrary(folder: string): Promise<string> {
  await succeed('npm run --silent build:library', { cwd: WORKSPACE });
  await succeed(`npm pack --silent --pack-destination ${folder}`, { cwd: join(WORKSPACE, 'libs/elastic-job') });
  const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack has written no tarball to ${folder}.`);
  return join(folder, tarball);
}
