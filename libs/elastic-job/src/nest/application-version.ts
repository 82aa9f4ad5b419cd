import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isVersion } from '../domain/index.js';

/**
 * The release of an application: `version` of the nearest `package.json` above its main file. Undefined if there is
 * none, or one that a label cannot have.
 */
export function findApplicationVersion(mainFile = process.argv[1]): string | undefined {
  if (mainFile === undefined) return undefined;
  for (let folder = dirname(mainFile); ; folder = dirname(folder)) {
    const version = versionIn(folder);
    if (version !== undefined) return isVersion(version) ? version : undefined;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Undefined if the folder has no readable `package.json`; a package without a version has an empty one. */
function versionIn(folder: string): unknown {
  try {
    const { version = '' }: { readonly version?: unknown } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    return version;
  } catch {
    return undefined;
  }
}
