import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isVersion } from '../domain/index.js';

/**
 * The release of an application: `version` of the nearest `package.json` above its main file. A file that names no
 * package, as beside compiled modules, is passed by. Undefined if there is none, or one that a label cannot have.
 * @param mainFile none in a REPL, and no path behind `node -e`
 */
export function findApplicationVersion(mainFile = process.argv[1] ?? ''): string | undefined {
  if (!isAbsolute(mainFile)) return undefined;
  for (let folder = dirname(mainFile); ; folder = dirname(folder)) {
    const found = packageIn(folder);
    if (found !== undefined) return isVersion(found.version) ? found.version : undefined;
    if (folder === dirname(folder)) return undefined;
  }
}

interface Package {
  readonly name?: unknown;
  readonly version?: unknown;
}

/** Undefined if the folder has no `package.json` that can be read, or one that names no package. */
function packageIn(folder: string): Package | undefined {
  try {
    const { name, version }: Package = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return name === undefined && version === undefined ? undefined : { name, version };
  } catch {
    return undefined;
  }
}
