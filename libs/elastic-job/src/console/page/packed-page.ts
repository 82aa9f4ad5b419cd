import { access } from 'node:fs/promises';

/** Of two copies of the package, one for each module system, both have the page from one folder. */
const FOLDER = 'dist/page/';
/** Folders above this file that are tried: the package is the third above the sources, and fewer above the build. */
const MOST_STEPS = 6;

/** The folder that the build of the page has written; undefined if it was not built. */
export async function packedPage(): Promise<URL | undefined> {
  let above = new URL('.', import.meta.url);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const folder = new URL(FOLDER, above);
    if (await isThere(new URL('index.html', folder))) return folder;
    above = new URL('..', above);
  }
  return undefined;
}

async function isThere(file: URL): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
