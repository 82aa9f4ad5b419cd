import { readdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const MANIFEST = 'libs/elastic-job/package.json';
const RELEASE = 'libs/elastic-job/src/copies/shared.ts';

/** The version that the package has. */
export async function readVersion(root: string): Promise<string> {
  const { version }: { readonly version: string } = JSON.parse(await readFile(join(root, MANIFEST), 'utf8'));
  return version;
}

/**
 * Writes a version to every place that names it: the package, the lock file, the code, and the examples.
 * @throws if a place does not name the version before
 */
export async function writeVersion(root: string, before: string, version: string): Promise<void> {
  const old = before.replaceAll('.', String.raw`\.`);
  const inPackage = new RegExp(String.raw`("version": ")${old}(?=")`);
  const inLock = new RegExp(String.raw`("libs/elastic-job": \{\s*"name": "[^"]+",\s*"version": ")${old}(?=")`);
  await replace(root, MANIFEST, inPackage, version);
  await replace(root, 'package-lock.json', inLock, version);
  await replace(root, RELEASE, new RegExp(`(RELEASE = ')${old}(?=')`), version);
  for (const example of await examplesIn(root)) {
    await replace(root, example, new RegExp(String.raw`("nestjs-elastic-job": "\^)${old}(?=")`), version);
  }
}

async function examplesIn(root: string): Promise<readonly string[]> {
  const folders = await readdir(join(root, 'examples'));
  const manifests = folders.map((folder) => join('examples', folder, 'package.json'));
  return manifests.filter((manifest) => existsSync(join(root, manifest)));
}

async function replace(root: string, file: string, place: RegExp, version: string): Promise<void> {
  const text = await readFile(join(root, file), 'utf8');
  const replaced = text.replace(place, (_, before: string) => before + version);
  if (!place.test(text)) throw new Error(`${file} does not name the version: nothing matches ${place}.`);
  await writeFile(join(root, file), replaced);
}
